import type { PullNotice } from '../../images/index.ts';
import {
  describePods,
  excerpt,
  type FollowedPod,
  type FollowedService,
  type LiveStyle,
  pullPhrase,
  renderStatusBlock,
  terminalLine,
  type Widths,
} from '../../print/index.ts';
import { isTerminalPhase, resolvedUid, type StoredEvent, type StoredPod, type Workload } from '../../api/index.ts';
import type { Cli } from '../base/cli.ts';
import type { PodActivity } from '../../lifecycle/index.ts';
import { LiveScreen } from './live-screen.ts';

/** The parts of the text view that the status block needs. */
export interface WatchedView {
  readonly cli: Cli;
  /** Prints lines above the block. */
  readonly print: (text: string) => void;
  readonly style: LiveStyle;
  readonly pods: () => readonly StoredPod[];
  readonly services: () => readonly FollowedService[];
  /** The workloads with lines of their own. */
  readonly workloads: () => readonly Workload[];
  readonly podsOf: (workload: Workload) => readonly StoredPod[];
  readonly events: () => readonly StoredEvent[];
  readonly pulls: () => readonly PullNotice[];
  readonly activityOf: (uid: string) => PodActivity | undefined;
  /** True when podrun may read keys from standard input. */
  readonly takesKeys: boolean;
  /** Turns output of containers on or off. */
  readonly toggleLogs: () => void;
  readonly showsLogs: () => boolean;
}

/** The block at the bottom of a terminal with the state of all Pods, and its keys. */
export class StatusView {
  readonly #view: WatchedView;
  readonly #screen: LiveScreen;
  #widths: Widths | undefined;
  /** The width of the terminal that the widths are for. */
  #columns = 0;

  constructor(view: WatchedView) {
    this.#view = view;
    this.#screen = new LiveScreen({
      cli: view.cli,
      render: (columns, rows) => this.#render(columns, rows),
      onKey: view.takesKeys ? (key) => this.#typed(key) : undefined,
    });
  }

  /** Draws a change soon. */
  changed(): void {
    this.#screen.changed();
  }

  /** Adapts to the size of the terminal. Call it before each line. */
  makeWay(): void {
    this.#screen.makeWay();
  }

  close(): void {
    this.#screen.close();
  }

  #render(columns: number, rows: number): readonly string[] {
    const { cli, style } = this.#view;
    const pods = this.#view.pods();
    const workloads = this.#view.workloads().map((workload) => {
      // The Pods of a CronJob stand below their Jobs.
      return { workload, own: workload.kind === 'CronJob' ? [] : this.#view.podsOf(workload) };
    });
    // All Pods have ended: podrun ends next.
    if (workloads.length === 0 && pods.every(({ status }) => isTerminalPhase(status.phase))) return [];
    const below = new Set(workloads.flatMap(({ own }) => own));
    const followed = (pod: StoredPod): FollowedPod => ({ pod, activity: this.#view.activityOf(resolvedUid(pod)) });
    const { lines, widths } = renderStatusBlock({
      services: this.#view.services(),
      workloads: workloads.map(({ workload, own }) => ({ workload, pods: own.map(followed) })),
      pods: pods.filter((pod) => !below.has(pod)).map(followed),
      now: cli.clock.now(),
      columns,
      rows: rows - this.#view.pulls().length,
      color: style.color,
      series: style.columns.series,
      keys: this.#screen.hasKeys ? this.#keyHints() : [],
      widths: columns === this.#columns ? this.#widths : undefined,
    });
    this.#widths = widths;
    this.#columns = columns;
    return [...this.#pullLines(columns), ...lines];
  }

  /** A line for each image that is being pulled. */
  #pullLines(columns: number): string[] {
    return this.#view.pulls().map(({ image, progress, elapsedMs }) => {
      const text = excerpt(terminalLine(pullPhrase(image, progress, elapsedMs)), columns - 1);
      return this.#view.style.color.tone('muted', text);
    });
  }

  #keyHints(): string[] {
    const logs = this.#view.showsLogs() ? 'l logs off' : 'l logs on';
    return ['? help', 'q stop  ? help', `q stop  d describe  ${logs}  ? help`];
  }

  #typed(key: string): void {
    switch (key.toLowerCase()) {
      case 'q':
        // Acts like Ctrl-C, with the listeners of this signal.
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
    const { cli, print, pods, events } = this.#view;
    print(describePods(pods(), events(), cli.clock.now().wallMs));
  }

  #muted(text: string): string {
    return text.replaceAll(/^.+$/gm, (line) => this.#view.style.color.tone('muted', line));
  }
}

const HELP = `  q  ends the Pods gracefully, as Ctrl-C does; pressed again, kills them
  d  describes the Pods
  l  switches the output of containers on or off
  ?  shows this help
`;
