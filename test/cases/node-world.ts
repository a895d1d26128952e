import { formatTime, type NodeCondition, type StoredPod, type Taint, type Toleration } from '../../src/api/index.ts';
import { changedNode, changedPod } from '../../src/controllers/node/apply-action.ts';
import { type ClusterNode, NODE_TIMING, type NodeAction, type NodeTiming } from '../../src/controllers/node/model.ts';
import { earliest } from '../../src/controllers/base/pod-state.ts';
import { evictByTaints, type EvictionMemory } from '../../src/controllers/node/taint-evictions.ts';
import { NO_NODES_MEMORY, planNodes } from '../../src/controllers/node/plan-nodes.ts';

/** One write or Event. */
export interface Line {
  readonly atMs: number;
  readonly what: string;
}

/** The periods with which the facts were recorded. */
export const SCALED: NodeTiming = {
  ...NODE_TIMING,
  monitorPeriodMs: 200,
  monitorGraceMs: 1000,
  startupGraceMs: 1500,
  evictionRate: 10,
  collectionPeriodMs: 300,
  quarantineMs: 1000,
};

const START_MS = Date.UTC(2026, 10, 30);
/** The controllers of the recordings had begun a little after the clock. */
const FIRST_LOOK_MS = 8;
const RENEWAL_MS = 250;
export const NO_PRESSURE = { MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' };
const TOO_MANY_STAGES = 100;

/** The parts of a world that a timeline begins with. */
export interface Beginning {
  /** The zones of nodes, by their names. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Nodes whose kubelet never posted anything. */
  readonly unposted?: readonly string[];
  readonly pods: readonly StoredPod[];
  /** Default: the periods of the facts. */
  readonly timing?: NodeTiming;
}

/** A store with Nodes and Pods, kubelets that only renew their Leases, and the controllers of nodes. */
export class NodeWorld {
  readonly lines: Line[] = [];
  #nowMs = 0;
  #memory = NO_NODES_MEMORY;
  #evictions: EvictionMemory = new Map();
  #nodes: ClusterNode[];
  #pods: readonly StoredPod[];
  readonly #renewed = new Map<string, string>();
  readonly #silent: Set<string>;
  readonly #timing: NodeTiming;

  constructor({ nodes, unposted = [], pods, timing = SCALED }: Beginning) {
    this.#timing = timing;
    this.#silent = new Set(unposted);
    this.#nodes = Object.entries(nodes).map(([name, zone]) => nodeOf(name, zone, !unposted.includes(name)));
    this.#pods = pods;
  }

  /** Lets time pass up to a moment, which itself is not over. */
  runUntil(untilMs: number): void {
    let lookMs: number | undefined = this.#nowMs === 0 ? FIRST_LOOK_MS : this.#nowMs;
    for (;;) {
      const renewalMs = (Math.floor(this.#nowMs / RENEWAL_MS) + 1) * RENEWAL_MS;
      const nextMs = Math.min(renewalMs, lookMs ?? Infinity);
      if (nextMs >= untilMs) break;
      this.#nowMs = nextMs;
      if (nextMs === renewalMs) this.#renew();
      if (nextMs >= FIRST_LOOK_MS) lookMs = this.#look();
    }
    this.#nowMs = untilMs;
  }

  /** Does something to a node, and lets the controllers see it. */
  change(name: string, edit: (node: ClusterNode) => ClusterNode | undefined): void {
    this.#nodes = this.#nodes.flatMap((node) => (node.metadata.name === name ? (edit(node) ?? []) : node));
    this.#look();
  }

  add(nodes: readonly ClusterNode[]): void {
    this.#nodes = [...this.#nodes, ...nodes];
  }

  /** The kubelet of a node reports conditions, with a heartbeat. `edit` is done to the node at the same time. */
  report(
    name: string,
    statuses: Readonly<Record<string, string>>,
    edit = (node: ClusterNode): ClusterNode => node,
  ): void {
    this.change(name, (node) => {
      const conditions = (node.status?.conditions ?? []).map((condition) => {
        const status = statuses[condition.type] ?? condition.status;
        return { ...condition, status, lastHeartbeatTime: this.#time() };
      });
      return edit({ ...node, status: { ...node.status, conditions } });
    });
  }

  silence(names: readonly string[]): void {
    for (const name of names) this.#silent.add(name);
  }

  /** The kubelet of a silent node is back. */
  wake(name: string): void {
    this.#silent.delete(name);
    this.#renewed.set(name, this.#time());
    this.report(name, { ...NO_PRESSURE, Ready: 'True' });
  }

  /** Writes and Events that match, as `time text`. */
  seen(pattern: RegExp): string[] {
    return this.lines.filter(({ what }) => pattern.test(what)).map(({ atMs, what }) => `${atMs} ${what}`);
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  get pods(): readonly StoredPod[] {
    return this.#pods;
  }

  get nodeNames(): string[] {
    return this.#nodes.map(({ metadata }) => metadata.name);
  }

  #time(): string {
    return formatTime(START_MS + this.#nowMs);
  }

  #renew(): void {
    for (const name of this.nodeNames) if (!this.#silent.has(name)) this.#renewed.set(name, this.#time());
  }

  /** Lets the controllers work until they have nothing to do. Returns the time of their next look. */
  #look(): number | undefined {
    const nowMs = this.#nowMs;
    for (let stage = 0; stage < TOO_MANY_STAGES; stage++) {
      const { memory, actions, lookAgainAtMs } = planNodes(this.#memory, {
        now: { monotonicMs: nowMs, wallMs: START_MS + nowMs },
        timing: this.#timing,
        nodes: this.#nodes,
        pods: () => this.#pods,
        renewTime: (name) => this.#renewed.get(name),
      });
      this.#memory = memory;
      const nodes = this.#nodes.map(({ metadata, spec }) => ({ name: metadata.name, taints: spec?.taints ?? [] }));
      const evictions = evictByTaints(this.#evictions, { nodes, pods: this.#pods, nowMs });
      this.#evictions = evictions.memory;
      for (const action of [...actions, ...evictions.actions]) this.#carryOut(action);
      if (actions.length + evictions.actions.length === 0)
        return earliest([lookAgainAtMs, ...this.#evictions.values()]);
    }
    throw new Error(`the controllers of nodes do not come to rest: ${JSON.stringify(this.lines.slice(-5))}`);
  }

  #carryOut(action: NodeAction): void {
    const { name, uid } = action.on;
    const wallMs = START_MS + this.#nowMs;
    this.#nodes = this.#nodes.map((node) => (node.metadata.uid === uid ? changedNode(node, action, wallMs) : node));
    this.#pods = this.#pods.map((pod) => (pod.metadata.uid === uid ? changedPod(pod, action, wallMs) : pod));
    const node = this.#nodes.find(({ metadata }) => metadata.uid === uid);
    const pod = this.#pods.find(({ metadata }) => metadata.uid === uid);
    if (action.type === 'delete') this.#pods = this.#pods.filter((other) => other !== pod);
    this.lines.push({ atMs: this.#nowMs, what: lineOf(action, name, node, pod) });
  }
}

function lineOf(action: NodeAction, name: string, node: ClusterNode | undefined, pod: StoredPod | undefined): string {
  switch (action.type) {
    case 'conditions':
      return `Node ${name}: conditions ${(node?.status?.conditions ?? []).map(conditionText).join(' ')}`;
    case 'taints': {
      const taints = (node?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
      return `Node ${name}: taints are now ${taints.join(', ') || 'none'}`;
    }
    case 'status': {
      const { edit, phase } = action;
      if (edit?.type === 'Ready') return `Pod ${name}: ${pod?.status.phase}, ${readinessOf(pod)}`;
      const condition = edit && `${edit.type}=${edit.status} (${edit.reason}: ${edit.message})`;
      return `Pod ${name}: status ${[phase && `phase ${phase}`, condition].filter(Boolean).join('; ')}`;
    }
    case 'delete':
      return `Pod ${name}: DELETE (${action.graceSeconds === 0 ? 'grace 0' : 'default grace'})`;
    case 'event': {
      const { on, component, event } = action;
      return `event ${event.type} ${event.reason} on ${on.kind}/${name} by ${component}: ${event.message}`;
    }
    default:
      return action satisfies never;
  }
}

const conditionText = ({ type, status, reason, message }: NodeCondition): string =>
  `${type}=${status}(${reason}: ${message})`;

/** Conditions without reasons: the controller gives Ready none. */
function readinessOf(pod: StoredPod | undefined): string {
  const conditions = pod?.status.conditions ?? [];
  return conditions.map(({ type, status, reason }) => `${type}=${status}${reason ? `(${reason})` : ''}`).join(' ');
}

function nodeOf(name: string, zone: string, isPosted: boolean): ClusterNode {
  const times = { lastHeartbeatTime: formatTime(START_MS), lastTransitionTime: formatTime(START_MS) };
  const statuses = { ...NO_PRESSURE, Ready: 'True' };
  const conditions = Object.entries(statuses).map(([type, status]) => ({ type, status, ...times }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `node ${name}`,
      creationTimestamp: formatTime(START_MS),
      labels: { 'topology.kubernetes.io/zone': zone },
    },
    status: { conditions: isPosted ? conditions : [] },
  } as unknown as ClusterNode;
}

/** A Pod that runs on a node. */
export function podOn(
  nodeName: string,
  name: string,
  tolerations: readonly Toleration[] = [],
  deletionTimestamp?: string,
): StoredPod {
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
  const metadata = { name, namespace: 'default', uid: `pod ${name}`, creationTimestamp: formatTime(START_MS) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { nodeName, containers: [], tolerations },
    status: { phase: 'Running', conditions },
  } as unknown as StoredPod;
}

/** The taint in the text `KEY=VALUE:EFFECT`. */
export function taintOf(text: string): Taint {
  const [key = '', value, effect] = text.split(/[=:]/);
  return { key, value, effect: effect as Taint['effect'] };
}
