import { formatTime, type NodeCondition, parseTime, type StoredPod } from '../../api/index.ts';
import { eventAction, refOf } from '../base/actions.ts';
import { readyConditionOf } from '../base/pod-state.ts';
import {
  type EventDraft,
  NODE_SILENT,
  nodeIsNotReady,
  nodeNotReady,
  registeredInController,
  removedFromController,
} from '../../lifecycle/index.ts';
import { COMPONENT } from '../texts/pods.ts';
import type { ClusterNode, NodeAction, NodesInput, NodeStage } from './model.ts';
import { hasTaint, NOT_READY, swapAction, UNREACHABLE } from './node-taints.ts';
import { judgeZones, newZone, nextTurnMs, queued, takeTurn, type TaintZones, withZone, zoneOf } from './zones.ts';

/** The facts about a node that its object lacks. */
interface NodeHealth {
  readonly node: ClusterNode;
  /** The time of the last sign of life, by the stopwatch. */
  readonly probeMs: number;
  readonly renewTime: string | undefined;
  /** The condition Ready at the last look. */
  readonly ready: NodeCondition | undefined;
}

export interface HealthMemory {
  /** The time of the next look, by the stopwatch. */
  readonly nextMs: number;
  /** By the names of nodes. */
  readonly health: ReadonlyMap<string, NodeHealth>;
  readonly zones: TaintZones;
}

export const NO_HEALTH: HealthMemory = { nextMs: -Infinity, health: new Map(), zones: new Map() };

/** These conditions turn Unknown with a silent node. The network of a node is the control plane's business. */
const REPORTED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** A node with this label does not count for the state of its zone. */
const UNCOUNTED = 'node.kubernetes.io/exclude-disruption';

/** A look at one node. */
interface Look {
  readonly node: ClusterNode;
  /** The condition Ready after the look. */
  readonly ready: NodeCondition | undefined;
  readonly health: NodeHealth;
  readonly actions: readonly NodeAction[];
}

/**
 * Looks at the health of all nodes, once in a period: a silent one becomes unreachable, and nodes that are not Ready
 * wait for their NoExecute taints. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth.
 */
export function monitorNodes(memory: HealthMemory, input: NodesInput): NodeStage<HealthMemory> {
  const { now, timing, nodes } = input;
  if (now.monotonicMs < memory.nextMs) return { memory, actions: [] };
  const looks = nodes.map((node) => lookAt(node, memory.health.get(node.metadata.name), input));
  const removed = [...memory.health.values()].filter(
    ({ node }) => !nodes.some(({ metadata }) => metadata.name === node.metadata.name),
  );
  const ready = new Map<string, (NodeCondition | undefined)[]>();
  for (const { node, ready: condition } of looks) {
    if (node.metadata.labels?.[UNCOUNTED] !== undefined) continue;
    ready.set(zoneOf(node), [...(ready.get(zoneOf(node)) ?? []), condition]);
  }
  const lined = looks.reduce((zones, look) => lineUp(zones, look, input), withoutNodes(memory.zones, removed));
  const { zones, change } = judgeZones(lined, ready, timing, now.monotonicMs);
  const health = new Map(
    looks.map(({ node, health: one }) => {
      return [node.metadata.name, change === 'over' ? { ...one, probeMs: now.monotonicMs } : one] as const;
    }),
  );
  const spared = change === 'started' ? nodes : [];
  return {
    memory: {
      nextMs: now.monotonicMs + timing.monitorPeriodMs,
      health,
      zones:
        change === 'started' ? new Map([...zones].map(([key, zone]) => [key, { ...zone, queue: new Map() }])) : zones,
    },
    actions: [
      ...looks
        .filter(({ node }) => !memory.health.has(node.metadata.name))
        .map(({ node }) => tell(node, registeredInController)),
      ...removed.map(({ node }) => tell(node, removedFromController)),
      ...looks.flatMap(({ actions }) => actions),
      ...spared.flatMap(withoutNoExecute),
    ],
  };
}

/**
 * Gives NoExecute taints to the nodes whose turn it is: Pods that do not tolerate them leave. Source:
 * node_lifecycle_controller.go doNoExecuteTaintingPass.
 */
export function taintLostNodes(memory: HealthMemory, { nodes, now }: NodesInput): NodeStage<HealthMemory> {
  const zones = new Map(memory.zones);
  const actions: NodeAction[] = [];
  for (const [key, zone] of memory.zones) {
    const turn = takeTurn(zone, now.monotonicMs);
    if (turn === undefined) continue;
    zones.set(key, turn.zone);
    const node = nodes.find(({ metadata }) => metadata.name === turn.name);
    const taint = node && taintFor(readyOf(node));
    if (node !== undefined && taint !== undefined) actions.push(...swapAction(node, swapTo(taint)));
  }
  return { memory: { ...memory, zones }, actions };
}

/** The times of the next looks, by the stopwatch. */
export function healthTimes({ nextMs, zones }: HealthMemory): (number | undefined)[] {
  return [nextMs, ...[...zones.values()].map(nextTurnMs)];
}

function lookAt(node: ClusterNode, before: NodeHealth | undefined, input: NodesInput): Look {
  const { now, timing } = input;
  const observed = readyOf(node);
  const renewTime = input.renewTime(node.metadata.name);
  const probeMs = lastSignMs(node, before, { ...input, renewTime });
  const graceMs = observed === undefined ? timing.startupGraceMs : timing.monitorGraceMs;
  const isLost = now.monotonicMs > probeMs + graceMs && observed?.status !== 'Unknown';
  const conditions = isLost ? unknownConditions(node, now.wallMs) : [];
  const ready = conditions.find(({ type }) => type === 'Ready') ?? observed;
  const wasReady = observed?.status === 'True';
  const isReady = ready?.status === 'True';
  // The Pods of a node that was lost before the first look: a controller before this one may not have come so far.
  const isUnreported = before === undefined && ready !== undefined && !isReady;
  return {
    node,
    ready,
    health: { node, probeMs, renewTime: renewTime ?? before?.renewTime, ready },
    actions: [
      ...(conditions.length > 0 ? [{ type: 'conditions' as const, on: refOf(node), conditions }] : []),
      ...(before === undefined ? withoutNoExecute(node) : taintsAtOnce(node, ready)),
      ...(wasReady && !isReady ? [tell(node, nodeIsNotReady)] : []),
      ...((wasReady && !isReady) || isUnreported ? podsNotReady(node, input.pods()) : []),
    ],
  };
}

/** The last sign of life: another heartbeat in the status, or a renewed Lease. Source: tryUpdateNodeHealth. */
function lastSignMs(
  node: ClusterNode,
  before: NodeHealth | undefined,
  { now, renewTime }: { readonly now: NodesInput['now']; readonly renewTime: string | undefined },
): number {
  const ready = readyOf(node);
  const isRenewed =
    renewTime !== undefined && (before?.renewTime === undefined || parseTime(before.renewTime) < parseTime(renewTime));
  if (isRenewed) return now.monotonicMs;
  if (before === undefined) {
    const ageMs = now.wallMs - parseTime(node.metadata.creationTimestamp);
    return ready === undefined ? now.monotonicMs - ageMs : now.monotonicMs;
  }
  return before.ready?.lastHeartbeatTime === ready?.lastHeartbeatTime ? before.probeMs : now.monotonicMs;
}

function unknownConditions(node: ClusterNode, wallMs: number): NodeCondition[] {
  const lastTransitionTime = formatTime(wallMs);
  return REPORTED.flatMap((type) => {
    const known = node.status?.conditions?.find((condition) => condition.type === type);
    if (known?.status === 'Unknown') return [];
    const texts = known === undefined ? NODE_SILENT.never : NODE_SILENT.stopped;
    const lastHeartbeatTime = known === undefined ? node.metadata.creationTimestamp : known.lastHeartbeatTime;
    return [{ type, status: 'Unknown', lastHeartbeatTime, lastTransitionTime, ...texts }];
  });
}

/** Only the status of the condition changes: reason and message stay. Source: MarkPodsNotReady. */
function podsNotReady(node: ClusterNode, pods: readonly StoredPod[]): NodeAction[] {
  return pods.flatMap((pod) => {
    const ready = readyConditionOf(pod);
    if (pod.spec.nodeName !== node.metadata.name || ready === undefined || ready.status === 'False') return [];
    const { type, reason, message } = ready;
    return [
      { type: 'status', on: refOf(pod), edit: { type, status: 'False', reason, message } },
      eventAction(pod, COMPONENT.node, nodeNotReady()),
    ];
  });
}

/** A node that lives loses its taints at once, and one whose taint tells of another state gets the right one. */
function taintsAtOnce(node: ClusterNode, ready: NodeCondition | undefined): NodeAction[] {
  const taint = taintFor(ready);
  if (ready?.status === 'True') return withoutNoExecute(node);
  const swap = taint && swapTo(taint);
  const isOpposite = swap?.remove.some((one) => hasTaint(node.spec?.taints ?? [], one)) ?? false;
  return swap !== undefined && isOpposite ? swapAction(node, swap) : [];
}

/** A node that is not Ready waits in the queue of its zone. Source: processTaintBaseEviction, markNodeForTainting. */
function lineUp(zones: TaintZones, { node, ready }: Look, { timing }: NodesInput): TaintZones {
  const key = zoneOf(node);
  const { queue } = zones.get(key) ?? newZone(timing);
  const taint = taintFor(ready);
  if (ready === undefined || (taint === undefined && !queue.has(node.metadata.name))) {
    return withZone(zones, key, {}, timing);
  }
  const isTainted = taint !== undefined && hasTaint(node.spec?.taints ?? [], taint);
  const how = taint === undefined ? 'out' : isTainted ? 'unless present' : 'last';
  return withZone(zones, key, { queue: queued(queue, node.metadata.name, how) }, timing);
}

function withoutNodes(zones: TaintZones, removed: readonly NodeHealth[]): TaintZones {
  return new Map(
    [...zones].map(([key, zone]) => {
      const queue = removed.reduce((rest, { node }) => queued(rest, node.metadata.name, 'out'), zone.queue);
      return [key, { ...zone, queue }];
    }),
  );
}

const withoutNoExecute = (node: ClusterNode): NodeAction[] =>
  swapAction(node, { add: [], remove: [UNREACHABLE, NOT_READY] });

function swapTo(taint: typeof NOT_READY): { add: [typeof NOT_READY]; remove: [typeof NOT_READY] } {
  return { add: [taint], remove: [taint === NOT_READY ? UNREACHABLE : NOT_READY] };
}

/** The NoExecute taint of a node. A node that has never reported has none, like one that is Ready. */
function taintFor(ready: NodeCondition | undefined): typeof NOT_READY | undefined {
  if (ready?.status === 'False') return NOT_READY;
  return ready?.status === 'Unknown' ? UNREACHABLE : undefined;
}

function readyOf({ status }: ClusterNode): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

function tell(node: ClusterNode, event: (name: string) => EventDraft): NodeAction {
  return eventAction(node, COMPONENT.node, event(node.metadata.name));
}
