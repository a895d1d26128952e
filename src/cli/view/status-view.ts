import { isTerminalPhase, type StoredEvent, type StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { PodActivity } from '../../lifecycle/activity.ts';
import { describePods } from '../../print/describe/describe-pod.ts';
import type { LiveStyle } from '../../print/live/live-line.ts';
import { renderStatusBlock, type Widths } from '../../print/live/status-block.ts';
import { LiveScreen } from './live-screen.ts';

/** What the text view is for those who watch it on a terminal. */
export interface WatchedView {
  readonly clock: Clock;
  /** Prints lines above the block. */
  readonly print: (text: string) => void;
  readonly style: LiveStyle;
  readonly pods: () => readonly StoredPod[];
  readonly events: () => readonly StoredEvent[];
  readonly activityOf: (uid: string) => PodActivity | undefined;
  /** Is the standard input ours? */
  readonly takesKeys: boolean;
  /** Turns the output of containers on or off. */
  readonly toggleLogs: () => void;
  readonly showsLogs: () => boolean;
}

/** The block at the bottom of a terminal with the state of all Pods, and the keys. */
export class StatusView {
  readonly #view: WatchedView;
  readonly #screen: LiveScreen;
  #widths: Widths | undefined;
  /** Of the terminal that the widths are for. */
  #columns = 0;

  constructor(view: WatchedView, write: (text: string) => void) {
    this.#view = view;
    this.#screen = new LiveScreen({
      clock: view.clock,
      write,
      render: (columns, rows) => this.#render(columns, rows),
      onKey: view.takesKeys ? (key) => this.#typed(key) : undefined,
    });
  }

  /** A Pod has changed. */
  changed(): void {
    this.#screen.changed();
  }

  /** Must be called before a line is written. */
  makeWay(): void {
    this.#screen.makeWay();
  }

  close(): void {
    this.#screen.close();
  }

  #render(columns: number, rows: number): readonly string[] {
    const { clock, style } = this.#view;
    const pods = this.#view.pods();
    // What comes then is the end of podrun.
    if (pods.every(({ status }) => isTerminalPhase(status.phase))) return [];
    const { lines, widths } = renderStatusBlock({
      pods: pods.map((pod) => ({ pod, activity: this.#view.activityOf(pod.metadata.uid) })),
      now: clock.now(),
      columns,
      rows,
      color: style.color,
      series: style.columns.series,
      keys: this.#screen.hasKeys ? this.#keyHints() : [],
      widths: columns === this.#columns ? this.#widths : undefined,
    });
    this.#widths = widths;
    this.#columns = columns;
    return lines;
  }

  #keyHints(): string[] {
    const logs = this.#view.showsLogs() ? 'l logs off' : 'l logs on';
    return ['? help', 'q stop  ? help', `q stop  d describe  ${logs}  ? help`];
  }

  #typed(key: string): void {
    switch (key.toLowerCase()) {
      case 'q':
        // As if Ctrl-C had been typed: whoever listens for that does what there is to do.
        return void process.emit('SIGINT', 'SIGINT');
      case 'd':
        return this.#describe();
      case 'l':
        this.#view.toggleLogs();
        this.#view.print(this.#muted(`container output is ${this.#view.showsLogs() ? 'on' : 'off'} (l)\n`));
        return this.#screen.changed();
      case '?':
      case 'h':
        return this.#view.print(this.#muted(HELP));
      default:
    }
  }

  #describe(): void {
    const { clock, print, pods, events } = this.#view;
    print(describePods(pods(), events(), clock.now().wallMs));
  }

  #muted(text: string): string {
    return text.replaceAll(/^.+$/gm, (line) => this.#view.style.color.tone('muted', line));
  }
}

const HELP = `  q  stop: ends the Pods gracefully, as Ctrl-C does; again: kills them
  d  describes the Pods
  l  output of containers: on or off
  ?  this help
`;
