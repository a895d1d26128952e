import {
  type CoordinationLease,
  DEFAULT_NAMESPACE,
  formatTime,
  NODE_LEASES,
  PodrunError,
  type StoredKubeObject,
  type StoredPod,
} from '../api/index.ts';
import { NodeActions, type NodeActionsOptions } from '../apiserver/index.ts';
import type { Alarm } from '../clock.ts';
import { type ClusterNode, NO_NODES_MEMORY, NODE_TIMING, type NodeTiming, planNodes } from '../controllers/index.ts';

export interface NodesLoopOptions extends NodeActionsOptions {
  /** The name of the node that is this machine. Undefined: declared nodes are in its place. */
  readonly machine: () => string | undefined;
  /**
   * Has this process look after the nodes of the state folder. Undefined: another process does. The result gives them
   * up.
   */
  readonly claim: () => (() => void) | undefined;
  /** Default: the periods of a cluster. */
  readonly timing?: NodeTiming | undefined;
}

/** The uid of this machine's node: what is found out about it is written nowhere. */
const MACHINE_UID = 'machine';

/**
 * Runs the controllers of nodes, in one process for a state folder: the lifecycle of nodes, and the garbage of Pods.
 */
export class NodesLoop {
  readonly #options: NodesLoopOptions;
  readonly #timing: NodeTiming;
  readonly #actions: NodeActions;
  #memory = NO_NODES_MEMORY;
  #alarm: Alarm | undefined;
  #release: (() => void) | undefined;
  #isActing = false;
  /** True while a look waits only for what is due. */
  #isDue = false;
  #isClosed = false;

  constructor(options: NodesLoopOptions) {
    this.#options = options;
    this.#timing = options.timing ?? NODE_TIMING;
    this.#actions = new NodeActions(options);
  }

  /**
   * Looks at the nodes soon: at the start, and after each change of one. All else that is due comes first: on a busy
   * machine, a Lease that is renewed late is no silence of its kubelet.
   */
  look(): void {
    if (this.#isActing || this.#isDue || this.#isClosed) return;
    const { clock } = this.#options;
    this.#isDue = true;
    this.#alarm?.cancel();
    this.#alarm = clock.wakeAt(clock.now().monotonicMs, () => this.#lookNow());
  }

  /** Acts on what is seen: writes of this loop lead to no further look. */
  #lookNow(): void {
    this.#isDue = false;
    this.#isActing = true;
    try {
      this.#alarm = this.#options.clock.wakeAt(this.#attempt(), () => this.look());
    } finally {
      this.#isActing = false;
    }
  }

  /** Another process may look after the nodes from now on. */
  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#release?.();
  }

  /** Returns the time of the next look. */
  #attempt(): number {
    try {
      this.#release ??= this.#options.claim();
      if (this.#release !== undefined) return this.#act();
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#options.onTrouble(error);
    }
    return this.#later(this.#timing.monitorPeriodMs);
  }

  /** Carries out stage after stage. Returns the time of the next look. */
  #act(): number {
    const { clock, store } = this.#options;
    for (;;) {
      const { memory, actions, lookAgainAtMs } = planNodes(this.#memory, {
        now: clock.now(),
        timing: this.#timing,
        nodes: this.#nodes(),
        pods: () => store.list<StoredPod>('pods'),
        renewTime: (name) => this.#renewTime(name),
      });
      const isWritten = this.#actions.carryOut(actions.filter(({ on }) => on.uid !== MACHINE_UID));
      if (!isWritten) return this.#later(this.#timing.monitorPeriodMs);
      this.#memory = memory;
      if (actions.length === 0) return lookAgainAtMs ?? this.#later(this.#timing.monitorPeriodMs);
    }
  }

  /** This machine and all stored Nodes. */
  #nodes(): ClusterNode[] {
    const machine = this.#options.machine();
    const stored = this.#options.store.list<ClusterNode>('nodes').filter(({ metadata }) => metadata.name !== machine);
    return machine === undefined ? stored : [machineNode(machine), ...stored];
  }

  /** This machine lives as long as this process. */
  #renewTime(name: string): string | undefined {
    const { store, clock, machine } = this.#options;
    if (name === machine()) return formatTime(clock.now().wallMs);
    const lease: CoordinationLease | undefined = store.get<StoredKubeObject>('leases', NODE_LEASES, name);
    return lease?.spec?.renewTime ?? undefined;
  }

  #later(ms: number): number {
    return this.#options.clock.now().monotonicMs + ms;
  }
}

function machineNode(name: string): ClusterNode {
  const metadata = { name, namespace: DEFAULT_NAMESPACE, uid: MACHINE_UID, resourceVersion: '', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
}
