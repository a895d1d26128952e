import type { NodeCondition } from '../../api/index.ts';
import type { ClusterNode, NodeTiming } from './model.ts';

/** The state of a zone, by the nodes in it that are not Ready. initial: no look has been completed. */
type ZoneState = 'initial' | 'normal' | 'partial' | 'full';

/** Nodes of a zone that are to get their NoExecute taints, one after the other. */
export interface TaintZone {
  readonly state: ZoneState;
  readonly limiter: RateLimiter;
  /** By the names of nodes, in the order of their turns: true for a node that has had its turn. */
  readonly queue: ReadonlyMap<string, boolean>;
}

export type TaintZones = ReadonlyMap<string, TaintZone>;

/** Allows one call, and another one as soon as the rate permits it. */
interface RateLimiter {
  /** Calls a second. 0: none. */
  readonly rate: number;
  readonly freeAtMs: number;
}

/** The zone of a node: nodes without these labels are in one zone. Source: component-helpers/node/topology. */
export function zoneOf({ metadata: { labels = {} } }: ClusterNode): string {
  const [region, zone] = ['region', 'zone'].map((name) => {
    return labels[`topology.kubernetes.io/${name}`] ?? labels[`failure-domain.beta.kubernetes.io/${name}`] ?? '';
  });
  return `${region}/${zone}`;
}

/** The zone as it is before the first look at its nodes. */
export function newZone({ evictionRate: rate }: NodeTiming): TaintZone {
  return { state: 'initial', limiter: { rate, freeAtMs: -Infinity }, queue: new Map() };
}

/** Changes one zone. */
export function withZone(zones: TaintZones, key: string, changes: Partial<TaintZone>, timing: NodeTiming): TaintZones {
  return new Map([...zones, [key, { ...(zones.get(key) ?? newZone(timing)), ...changes }]]);
}

/** Puts a node at the end of the queue, or takes it out. A node that has had its turn gets no second one. */
export function queued(
  queue: TaintZone['queue'],
  nodeName: string,
  how: 'last' | 'unless present' | 'out',
): TaintZone['queue'] {
  if (how === 'unless present' && queue.has(nodeName)) return queue;
  const rest = [...queue].filter(([name]) => name !== nodeName);
  return new Map(how === 'out' ? rest : [...rest, [nodeName, false]]);
}

/** The state of a zone. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState. */
function stateOf(ready: readonly (NodeCondition | undefined)[], threshold: number): ZoneState {
  const lost = ready.filter((condition) => condition?.status !== 'True').length;
  if (lost === ready.length) return 'full';
  return lost > 2 && lost / ready.length >= threshold ? 'partial' : 'normal';
}

/** The outcome of a look at all zones. */
interface Disruption {
  readonly zones: TaintZones;
  /** started: no node lives any more, and none is to lose its Pods. over: one lives again, all get a new grace. */
  readonly change: 'started' | 'over' | undefined;
}

/**
 * Sets the rate of each zone by its lost nodes. Source: node_lifecycle_controller.go handleDisruption.
 * @param ready the conditions Ready of the nodes in each zone
 */
export function judgeZones(
  zones: TaintZones,
  ready: ReadonlyMap<string, readonly (NodeCondition | undefined)[]>,
  timing: NodeTiming,
  nowMs: number,
): Disruption {
  const empty = [...zones].filter(([key]) => !ready.has(key));
  const before = new Map([...zones, ...empty.map(([key, zone]) => [key, { ...zone, state: 'initial' }] as const)]);
  const states = new Map([...ready].map(([key, all]) => [key, stateOf(all, timing.unhealthyZoneThreshold)]));
  const isAllLost = [...states.values()].every((state) => state === 'full');
  const wasAllLost = [...states.keys()].every((key) => before.get(key)?.state === 'full');
  if (isAllLost && wasAllLost) return { zones: before, change: undefined };
  const after = new Map(before);
  for (const [key, state] of states) {
    const zone = before.get(key) ?? newZone(timing);
    if (isAllLost) after.set(key, { ...zone, state, limiter: swapped(zone.limiter, 0, nowMs) });
    else if (wasAllLost || zone.state !== state) {
      const rate = rateOf(state, ready.get(key)?.length ?? 0, timing);
      after.set(key, { ...zone, state, limiter: swapped(zone.limiter, rate, nowMs) });
    }
  }
  return { zones: after, change: isAllLost ? 'started' : wasAllLost ? 'over' : undefined };
}

/** Source: node_lifecycle_controller.go setLimiterInZone, ReducedQPSFunc. */
function rateOf(state: ZoneState, size: number, timing: NodeTiming): number {
  if (state !== 'partial') return timing.evictionRate;
  return size > timing.largeZoneSize ? timing.secondaryEvictionRate : 0;
}

/** Another rate. Who had to wait has to wait again. Source: scheduler/rate_limited_queue.go SwapLimiter. */
function swapped({ rate: before, freeAtMs }: RateLimiter, rate: number, nowMs: number): RateLimiter {
  const isFree = before > 0 && freeAtMs <= nowMs;
  return { rate, freeAtMs: isFree ? -Infinity : nowMs + 1000 / rate };
}

/** Takes the next node of the queue, if the rate permits it. Source: rate_limited_queue.go Try. */
export function takeTurn(
  zone: TaintZone,
  nowMs: number,
): { readonly zone: TaintZone; readonly name: string } | undefined {
  const name = firstIn(zone);
  const { rate, freeAtMs } = zone.limiter;
  if (name === undefined || rate === 0 || freeAtMs > nowMs) return undefined;
  const limiter = { rate, freeAtMs: nowMs + 1000 / rate };
  return { name, zone: { ...zone, limiter, queue: new Map([...zone.queue, [name, true]]) } };
}

/** The time of the next turn. Undefined: no node of the zone has one. */
export function nextTurnMs(zone: TaintZone): number | undefined {
  return zone.limiter.rate === 0 || firstIn(zone) === undefined ? undefined : zone.limiter.freeAtMs;
}

function firstIn({ queue }: TaintZone): string | undefined {
  return [...queue].find(([, hadTurn]) => !hadTurn)?.[0];
}
