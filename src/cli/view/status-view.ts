import type { PullNotice } from '../../images/index.ts';
import {
  blockTargets,
  type BlockTarget,
  describePods,
  excerpt,
  type FollowedAddress,
  type FollowedPod,
  type LiveStyle,
  pullPhrase,
  renderStatusBlock,
  type StatusBlock,
  targetName,
  terminalLine,
  type Widths,
} from '../../print/index.ts';
import { inBackground } from '../../defects.ts';
import {
  isSidecar,
  isTerminalPhase,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type Workload,
} from '../../api/index.ts';
import type { FollowedRun } from './apply-view.ts';
import type { Cli } from '../base/cli.ts';
import type { PodActivity } from '../../lifecycle/index.ts';
import { type KeyEffect, type KeyState, pressed } from './key-state.ts';
import { LiveScreen } from './live-screen.ts';
import { OWN_COMMANDS, runOwnCommand } from './own-commands.ts';

/** The parts of the text view that the status block needs. */
export interface WatchedView {
  readonly cli: Cli;
  /** Prints text above the block. */
  readonly print: (text: string | Uint8Array) => void;
  /** Prints output of a container above the block: whole lines. */
  readonly printOutput: (lines: Buffer, pod: StoredPod, container: string) => void;
  /** Prints a remark of podrun above the block. */
  readonly remark: (text: string) => void;
  readonly style: () => LiveStyle;
  readonly pods: () => readonly StoredPod[];
  readonly addresses: () => readonly FollowedAddress[];
  /** The workloads with lines of their own. */
  readonly workloads: () => readonly Workload[];
  readonly podsOf: (workload: Workload) => readonly StoredPod[];
  readonly events: () => readonly StoredEvent[];
  readonly pulls: () => readonly PullNotice[];
  readonly activityOf: (uid: string) => PodActivity | undefined;
  /** True when there is more than one node. */
  readonly hasNodes: () => boolean;
  /** True when podrun may read keys from standard input. */
  readonly takesKeys: boolean;
  /** The choices of the user, which decide about the lines above the block as well. */
  readonly keys: () => KeyState;
  readonly chose: (state: KeyState) => void;
  /** Keeps all lines back while another program has the terminal. */
  readonly holdLines: (isHeld: boolean) => void;
  /** Starts a container again. Undefined: this run cannot. */
  readonly restart: () => FollowedRun['restart'];
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
    const { cli } = this.#view;
    const { color, columns: grid } = this.#view.style();
    const objects = this.#objects();
    // All Pods have ended: podrun ends next.
    const isOver = objects.pods.every(({ pod }) => isTerminalPhase(pod.status.phase));
    if (objects.workloads.length === 0 && isOver) return [];
    const keys = this.#view.keys();
    const { lines, widths } = renderStatusBlock({
      ...objects,
      addresses: this.#view.addresses(),
      now: cli.clock.now(),
      columns,
      rows: rows - this.#view.pulls().length,
      hasNodes: this.#view.hasNodes(),
      color,
      series: grid.series,
      keys: this.#screen.hasKeys ? keyHints(keys) : [],
      selected: keys.chosen,
      widths: columns === this.#columns ? this.#widths : undefined,
    });
    this.#widths = widths;
    this.#columns = columns;
    return [...this.#pullLines(columns), ...lines];
  }

  #objects(): Pick<StatusBlock, 'workloads' | 'pods'> & { readonly filter: string } {
    const workloads = this.#view.workloads().map((workload) => {
      // The Pods of a CronJob stand below their Jobs.
      return { workload, own: workload.kind === 'CronJob' ? [] : this.#view.podsOf(workload) };
    });
    const below = new Set(workloads.flatMap(({ own }) => own));
    const followed = (pod: StoredPod): FollowedPod => ({ pod, activity: this.#view.activityOf(resolvedUid(pod)) });
    return {
      workloads: workloads.map(({ workload, own }) => ({ workload, pods: own.map(followed) })),
      pods: this.#view
        .pods()
        .filter((pod) => !below.has(pod))
        .map(followed),
      filter: this.#view.keys().filter,
    };
  }

  /** A line for each image that is being pulled. */
  #pullLines(columns: number): string[] {
    return this.#view.pulls().map(({ image, progress, elapsedMs }) => {
      const text = excerpt(terminalLine(pullPhrase(image, progress, elapsedMs)), columns - 1);
      return this.#view.style().color.tone('muted', text);
    });
  }

  #typed(key: string): void {
    const { state, effect } = pressed(this.#view.keys(), key, blockTargets(this.#objects()));
    this.#view.chose(state);
    if (effect !== undefined) this.#carryOut(effect);
    this.#screen.changed();
  }

  #carryOut(effect: KeyEffect): void {
    const { print, remark } = this.#view;
    switch (effect.type) {
      case 'stop':
        // Acts like Ctrl-C, with the listeners of this signal.
        return void process.emit('SIGINT', 'SIGINT');
      case 'describe':
        return this.#describe(effect.target);
      case 'help':
        return print(this.#muted(HELP));
      case 'choose':
        return remark(`choose a Pod or container with the arrow keys first (${effect.key})`);
      case 'outputTurned':
        return remark(outputText(this.#view.keys()));
      case 'log':
        remark(outputText(this.#view.keys()));
        return inBackground(this.#log(effect.target));
      case 'shell':
        return inBackground(this.#shell(effect.target));
      case 'restart':
        return this.#restart(effect.target);
      default:
        effect satisfies never;
    }
  }

  #describe(target: BlockTarget | undefined): void {
    const { cli, print, pods, events } = this.#view;
    const chosen = target === undefined ? pods() : [target.pod];
    print(describePods(chosen, events(), cli.clock.now().wallMs));
  }

  /** Prints the end of the log of each container, as if it came now. */
  async #log({ pod, container }: BlockTarget): Promise<void> {
    for (const name of container === undefined ? mainContainers(pod) : [container]) {
      const pieces: Buffer[] = [];
      await runOwnCommand(this.#view.cli, OWN_COMMANDS.log({ pod, container: name }), (piece) => pieces.push(piece));
      if (pieces.length > 0) this.#view.printOutput(Buffer.concat(pieces), pod, name);
    }
  }

  #restart(target: BlockTarget): void {
    const { remark } = this.#view;
    const restart = this.#view.restart();
    if (restart === undefined) return remark('this apply cannot restart a container: the Pods run elsewhere');
    remark(`restarting ${targetName(target)}`);
    const { pod, container } = target;
    for (const name of container === undefined ? mainContainers(pod) : [container]) restart(resolvedUid(pod), name);
  }

  /** Gives the terminal to a shell in the container, and takes it back at its end. */
  async #shell(target: BlockTarget): Promise<void> {
    const { cli, holdLines, remark } = this.#view;
    remark(`a shell in ${targetName(target)}; its end leads back here`);
    holdLines(true);
    const exitCode = await this.#screen.lend(() => runOwnCommand(cli, OWN_COMMANDS.shell(target), undefined));
    holdLines(false);
    remark(`the shell has ended with code ${exitCode}`);
  }

  #muted(text: string): string {
    return text.replaceAll(/^.+$/gm, (line) => this.#view.style().color.tone('muted', line));
  }
}

/** The containers that run as long as their Pod. */
function mainContainers({ spec }: StoredPod): string[] {
  return [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers].map(({ name }) => name);
}

/** The help at the right of the block, from the shortest to the longest text. */
function keyHints({ chosen, filter, isFiltering, output }: KeyState): string[] {
  if (isFiltering) return [`/${filter}_`, `/${filter}_  Enter keeps it, Esc clears it`];
  const clear = filter === '' ? '' : `/${filter}  Esc clears it  `;
  if (chosen !== undefined) {
    const log = 'd describe  l log  r restart  s shell';
    return ['? help', `${clear}? help`, `${log}  ? help`, `${clear}↑↓ select  ${log}  Esc leave  ? help`];
  }
  const logs = output === 'none' ? 'l logs on' : 'l logs off';
  return [
    '? help',
    `${clear}q stop  ? help`,
    `${clear}q stop  ↑↓ select  / filter  ? help`,
    `${clear}q stop  ↑↓ select  d describe  ${logs}  / filter  ? help`,
  ];
}

function outputText({ output }: KeyState): string {
  if (output === 'all') return 'container output is on (l)';
  return output === 'none' ? 'container output is off (l)' : `only the output of ${targetName(output)} (l)`;
}

const HELP = `  q    ends the Pods gracefully, as Ctrl-C does; pressed again, kills them
  ↑ ↓  choose a Pod or a container; Esc leaves the choice
  l    switches the output of containers on or off; of a choice: shows its log, and only its output
  d    describes the choice, or all Pods
  r    restarts the chosen container, or all containers of the chosen Pod
  s    opens a shell in the choice
  /    shows only objects and containers with a text in their names
  ?    shows this help
`;
