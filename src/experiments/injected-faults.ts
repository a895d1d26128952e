import type { CutOff, Faults, ProbeInput } from '../kubelet/index.ts';
import type { PlannedPod } from '../engine/index.ts';
import { allContainers, type StoredPod, usage } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import {
  endedByFault,
  faultInjected,
  faultOver,
  type ImageVerdict,
  type ImageVerdicts,
  type ProbeOutcome,
  type RequestCount,
  requestsCounted,
} from '../lifecycle/index.ts';
import type { ContainerLaunch, ProcessExit, RunningContainer, Runtime, StartOutcome } from '../runtime/index.ts';
import { chance } from './chance.ts';
import { Partitions } from './partitions.ts';
import type { EndingFault, InjectedFault, NodeFault, Partition } from './read-fault.ts';

/** Faults whose time the seed chooses come within this time after the beginning, or after the start they are for. */
const WITHIN_MS = 10_000;

interface Live {
  readonly uid: string;
  readonly container: string;
  readonly running: RunningContainer;
}

export interface InjectedFaultsOptions {
  readonly faults: readonly InjectedFault[];
  readonly seed: number;
  readonly clock: Clock;
  /** Sets the wall clock of the run. */
  readonly jumpWall: (ms: number) => void;
  /** A client of the Services of the run. Undefined: none. */
  readonly client?: { begin(): void; close(): readonly RequestCount[] } | undefined;
}

/** The faults of `--inject`. Everything that is left to chance depends on the seed alone. */
export class InjectedFaults implements Faults {
  readonly #options: InjectedFaultsOptions;
  /** By id of the instance. */
  readonly #live = new Map<string, Live>();
  /** The exits to report in place of a kill, by id of the instance. */
  readonly #exits = new Map<string, Pick<ProcessExit, 'exitCode' | 'signal' | 'oomKilled'>>();
  /** Faults whose time has come while none of their containers ran. */
  readonly #due = new Set<EndingFault>();
  /** The number of starts of containers of one name. */
  readonly #starts = new Map<string, number>();
  readonly #alarms: Alarm[] = [];
  /** Faults that last, each with the Pods that have an event of it. */
  readonly #recorded = new Set<string>();
  /** The names of the declared nodes. */
  #nodes: readonly string[] = [];
  #tell: Parameters<Faults['begin']>[0] = () => undefined;
  #changeNode: Parameters<Faults['begin']>[1] = () => undefined;
  #beganMs: number | undefined;
  /** The uid of the Pod whose container has started last, for events about the run. */
  #lastUid = '';
  /** Undefined: the run has not begun. */
  #partitions: Partitions | undefined;

  constructor(options: InjectedFaultsOptions) {
    this.#options = options;
  }

  /**
   * @param network the kind of network of the Pods
   * @param nodes the names of the declared nodes
   * @throws {PodrunError} (usage) for a fault of something that the run does not have
   */
  check(planned: readonly PlannedPod[], network: string, nodes: readonly string[]): void {
    this.#nodes = nodes;
    const containers = new Set(planned.flatMap(({ spec }) => allContainers(spec).map(({ name }) => name)));
    const pods = new Set(planned.map(({ name }) => name));
    for (const fault of this.#options.faults) {
      if (fault.type === 'partition') checkPartition(fault, pods, network);
      else if (fault.type === 'node') checkNode(fault, nodes);
      else if (fault.type !== 'clock') checkName(fault, 'container', fault.container, containers);
    }
  }

  begin(tell: Parameters<Faults['begin']>[0], changeNode: Parameters<Faults['begin']>[1]): void {
    this.#tell = tell;
    this.#changeNode = changeNode;
    this.#beganMs = this.#options.clock.now().monotonicMs;
    this.#partitions = new Partitions({
      faults: this.#options.faults.filter((fault) => fault.type === 'partition'),
      clock: this.#options.clock,
      tell,
      source: (text) => this.#source(text),
    });
    this.#options.client?.begin();
    for (const [index, fault] of this.#options.faults.entries()) this.#plan(fault, index);
  }

  close(): void {
    for (const alarm of this.#alarms.splice(0)) alarm.cancel();
    this.#due.clear();
    this.#partitions?.close();
    for (const count of this.#options.client?.close() ?? []) this.#tell(this.#lastUid, requestsCounted(count));
    this.#beganMs = undefined;
  }

  wrap(runtime: Runtime): Runtime {
    return {
      features: runtime.features,
      start: (launch) => this.#start(runtime, launch),
      exec: (request) => runtime.exec(request),
      startExec: (launch) => runtime.startExec(launch),
    };
  }

  probe({ pod, container, type }: ProbeInput): ProbeOutcome | undefined {
    const fault = this.#lasting('probe', container.name).find((one) => one.type === 'probe' && one.probe === type);
    if (fault === undefined) return undefined;
    this.#tellOnce(pod, fault, container.name);
    return { result: 'failure', output: `--inject ${fault.text}` };
  }

  images(pod: StoredPod, verdicts: ImageVerdicts): ImageVerdicts {
    const containers: Record<string, ImageVerdict> = {};
    for (const [name, verdict] of Object.entries(verdicts.containers)) {
      // The verdict is read at each attempt, the settings of a Pod only after a change of it.
      Object.defineProperty(containers, name, { enumerable: true, get: () => this.#image(pod, name, verdict) });
    }
    return { ...verdicts, containers };
  }

  async joined(pod: StoredPod, names: readonly string[], cutOff: CutOff): Promise<void> {
    await this.#partitions?.joined(pod, names, cutOff);
  }

  #image(pod: StoredPod, container: string, verdict: ImageVerdict): ImageVerdict {
    const [fault] = this.#lasting('image', container);
    if (fault === undefined) return verdict;
    this.#tellOnce(pod, fault, container);
    return { type: 'absent', pullError: `--inject ${fault.text}` };
  }

  #lasting(type: 'probe' | 'image', container: string): Array<Extract<InjectedFault, { type: 'probe' | 'image' }>> {
    const sinceMs = this.#options.clock.now().monotonicMs - (this.#beganMs ?? Infinity);
    return this.#options.faults.filter((fault): fault is Extract<InjectedFault, { type: 'probe' | 'image' }> => {
      if (fault.type !== type || !isFor(fault, container)) return false;
      return fault.fromMs <= sinceMs && sinceMs < fault.untilMs;
    });
  }

  #plan(fault: InjectedFault, index: number): void {
    if (fault.type === 'clock') return this.#after(fault.atMs, () => this.#jump(fault));
    if (fault.type === 'node') return this.#planNode(fault, index);
    if (!('when' in fault)) return;
    const { when = { atMs: this.#chance(fault, index) * WITHIN_MS } } = fault;
    if ('atMs' in when) this.#after(when.atMs, () => this.#comeDue(fault, index));
  }

  /** Without a name, the seed chooses the node. */
  #planNode(fault: NodeFault, index: number): void {
    const name = fault.name ?? this.#nodes[Math.floor(this.#chance(fault, index, 'which') * this.#nodes.length)];
    if (name === undefined) return;
    const why = this.#source(fault.text);
    const begins = faultInjected(`node ${name} is ${fault.state} (${why})`);
    this.#after(fault.fromMs, () => this.#changeNode(name, fault.state, begins));
    if (fault.untilMs === Infinity) return;
    this.#after(fault.untilMs, () => this.#changeNode(name, 'running', faultOver(`node ${name} is back (${why})`)));
  }

  #jump({ text, byMs }: Extract<InjectedFault, { type: 'clock' }>): void {
    this.#options.jumpWall(byMs);
    for (const uid of new Set([...this.#live.values()].map((live) => live.uid))) {
      this.#tell(
        uid,
        faultInjected(`the wall clock of the run jumps, but not the clock of programs (${this.#source(text)})`),
      );
    }
  }

  /** Ends one of the containers that run. Without one, the fault waits for the next start. */
  #comeDue(fault: EndingFault, index: number): void {
    const candidates = [...this.#live].filter(([, { container }]) => isFor(fault, container));
    const chosen = candidates[Math.floor(this.#chance(fault, index, 'which') * candidates.length)];
    if (chosen === undefined) this.#due.add(fault);
    else this.#strike(fault, chosen[0]);
  }

  async #start(runtime: Runtime, launch: ContainerLaunch): Promise<StartOutcome> {
    const { id, onExit } = launch;
    const outcome = await runtime.start({
      ...launch,
      onExit: (exit) => {
        this.#live.delete(id);
        onExit({ ...exit, ...this.#exits.get(id) });
        this.#exits.delete(id);
      },
    });
    if (!outcome.ok || this.#beganMs === undefined) return outcome;
    const [, uid = '', container = ''] = /^(.*)\/([^/]+)\/\d+$/.exec(id) ?? [];
    this.#live.set(id, { uid, container, running: outcome.container });
    this.#lastUid = uid;
    this.#meetStart(id, container);
    return outcome;
  }

  #meetStart(id: string, container: string): void {
    const number = (this.#starts.get(container) ?? 0) + 1;
    this.#starts.set(container, number);
    const late = [...this.#due].find((fault) => isFor(fault, container));
    if (late !== undefined) {
      this.#due.delete(late);
      this.#after(0, () => this.#strike(late, id));
    }
    for (const [index, fault] of this.#options.faults.entries()) {
      if (!('when' in fault) || fault.when === undefined || !('share' in fault.when)) continue;
      if (!isFor(fault, container) || this.#chance(fault, index, `${container} ${number}`) >= fault.when.share)
        continue;
      const afterMs = this.#chance(fault, index, `${container} ${number} when`) * WITHIN_MS;
      this.#after(afterMs, () => this.#strike(fault, id));
    }
  }

  #strike(fault: EndingFault, id: string): void {
    const live = this.#live.get(id);
    if (live === undefined) return;
    const { uid, container, running } = live;
    if (fault.type === 'exit') this.#exits.set(id, { exitCode: fault.code, signal: undefined, oomKilled: false });
    if (fault.type === 'oom') this.#exits.set(id, { exitCode: 137, signal: 'SIGKILL', oomKilled: true });
    this.#tell(uid, faultInjected(`${endedByFault(container)} (${this.#source(fault.text)})`, container));
    running.kill();
  }

  #tellOnce({ metadata: { uid } }: StoredPod, { text, type }: InjectedFault, container: string): void {
    const key = `${uid}/${container}/${text}`;
    if (this.#recorded.has(key)) return;
    this.#recorded.add(key);
    const what = type === 'image' ? 'the image cannot be pulled' : 'the probe fails';
    // Not within the call of the agent: it is about to write a status.
    const event = faultInjected(`container ${container}: ${what} (${this.#source(text)})`, container);
    this.#after(0, () => this.#tell(uid, event));
  }

  #after(ms: number, run: () => void): void {
    const { clock } = this.#options;
    this.#alarms.push(clock.wakeAt(clock.now().monotonicMs + ms, run));
  }

  #chance({ text }: InjectedFault, index: number, key: string = ''): number {
    return chance(this.#options.seed, `${index} ${text} ${key}`);
  }

  #source(text: string): string {
    return `--inject ${text} --seed ${this.#options.seed}`;
  }
}

function isFor({ container }: { readonly container: string | undefined }, name: string): boolean {
  return container === undefined || container === name;
}

function checkPartition(fault: Partition, names: ReadonlySet<string>, network: string): void {
  checkName(fault, 'Pod or workload', fault.name, names);
  if (network === 'cluster') return;
  throw usage(
    `--inject ${fault.text}: the Pods have no network that they can be cut off from`,
    'Add --network cluster.',
  );
}

function checkNode({ text, name }: NodeFault, nodes: readonly string[]): void {
  if (nodes.length === 0) throw usage(`--inject ${text}: the run has no nodes beside this machine`, 'Add --nodes 3.');
  if (name === undefined || nodes.includes(name)) return;
  throw usage(`--inject ${text}: there is no node ${name}`, `The nodes are ${nodes.join(', ')}.`);
}

function checkName({ text }: InjectedFault, kind: string, name: string | undefined, names: ReadonlySet<string>): void {
  if (name === undefined || names.has(name)) return;
  throw usage(`--inject ${text}: there is no ${kind} ${name}`, `The manifests have ${[...names].join(', ')}.`);
}
