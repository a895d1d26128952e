import { formatTime, type NodeCondition, parseTime } from '../../api/index.ts';
import { NODE_CONDITION, NODE_READY, NODE_SHUTS_DOWN, SUFFICIENT_PID } from '../texts/scheduling.ts';
import { NODE_PRESSURES, type NodePressure } from './eviction.ts';

/** The time for which a condition holds without news: its agent renews it every ten seconds. */
const HEARTBEAT_MAX_MS = 40_000;

/**
 * The period with which the status of a node has its time renewed when nothing changes.
 * Source: pkg/kubelet/apis/config/v1beta1/defaults.go, nodeStatusReportFrequency.
 */
export const HEARTBEAT_PERIOD_MS = 300_000;
/** Heartbeats come with the renewals of the Lease: at most this late. */
const LATE_MS = 10_000;

/**
 * The conditions of a node after a report of what it lacks. Conditions of another type stay unchanged.
 * @param before the conditions that were reported last
 */
export function reportedPressure(
  before: readonly NodeCondition[],
  pressure: readonly NodePressure[],
  wallMs: number,
): NodeCondition[] {
  const now = formatTime(wallMs);
  const own = NODE_PRESSURES.map((type) => {
    const status = pressure.includes(type) ? 'True' : 'False';
    const known = before.find((condition) => condition.type === type);
    const since = known?.status === status ? known.lastTransitionTime : now;
    return conditionOf(type, status, { since, heartbeat: now });
  });
  return [...own, ...before.filter(({ type }) => own.every((one) => one.type !== type))];
}

/**
 * The conditions of a node whose heartbeat is now: the record of the condition Ready has the time. What the controller
 * of nodes said while the node was silent no longer holds.
 * @param since the time since which the node exists
 */
export function withHeartbeat(before: readonly NodeCondition[], since: string, wallMs: number): NodeCondition[] {
  const now = formatTime(wallMs);
  const known = before.find(({ type }) => type === 'Ready');
  const wasLost = known !== undefined && known.status !== 'True';
  const times = { lastHeartbeatTime: now, lastTransitionTime: wasLost ? now : (known?.lastTransitionTime ?? since) };
  const rest = before.filter(({ type }) => type !== 'Ready').map((condition) => heard(condition, now));
  return [...rest, { type: 'Ready', status: 'True', ...times, ...NODE_READY }];
}

/** The condition of a node that was silent. Conditions of other programs stay. */
function heard(condition: NodeCondition, now: string): NodeCondition {
  const { type, status } = condition;
  const pressure = NODE_PRESSURES.find((one) => one === type);
  if (status !== 'Unknown') return condition;
  if (pressure !== undefined) return conditionOf(pressure, 'False', { since: now, heartbeat: now });
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return type === 'PIDPressure' ? { type, status: 'False', ...times, ...SUFFICIENT_PID } : condition;
}

/** The conditions of a node that shuts down: it is not Ready. */
export function withShutdown(before: readonly NodeCondition[], wallMs: number): NodeCondition[] {
  const now = formatTime(wallMs);
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const ready = { type: 'Ready', status: 'False', ...times, ...NODE_SHUTS_DOWN };
  return [...before.filter(({ type }) => type !== 'Ready'), ready];
}

/** The time of the last heartbeat, for readers. Without a server, which has heartbeats, it is now. */
export function shownHeartbeat(recorded: readonly NodeCondition[], wallMs: number): string {
  const last = recorded.find(({ type }) => type === 'Ready')?.lastHeartbeatTime ?? '';
  return wallMs - parseTime(last) <= HEARTBEAT_PERIOD_MS + LATE_MS ? last : formatTime(wallMs);
}

/**
 * The conditions of a node about what it lacks, for readers. Reports of an agent that has been killed since no longer
 * hold.
 * @param since the time since which the node exists
 */
export function shownPressure(reported: readonly NodeCondition[], since: string, wallMs: number): NodeCondition[] {
  const heartbeat = shownHeartbeat(reported, wallMs);
  return NODE_PRESSURES.map((type) => {
    const { status, lastTransitionTime, lastHeartbeatTime } = reported.find((one) => one.type === type) ?? {};
    if (status !== 'True') return conditionOf(type, 'False', { since: lastTransitionTime ?? since, heartbeat });
    return isOld(lastHeartbeatTime, wallMs)
      ? conditionOf(type, 'False', { since: lastHeartbeatTime, heartbeat })
      : conditionOf(type, 'True', { since: lastTransitionTime, heartbeat: lastHeartbeatTime });
  });
}

/** The lack of memory or disk space that conditions tell of. */
export function pressureIn(conditions: readonly NodeCondition[]): NodePressure[] {
  return NODE_PRESSURES.filter((type) => conditions.some((one) => one.type === type && one.status === 'True'));
}

function isOld(heartbeat: string | null | undefined, wallMs: number): boolean {
  return wallMs - parseTime(heartbeat ?? '') > HEARTBEAT_MAX_MS;
}

function conditionOf(
  type: NodePressure,
  status: 'True' | 'False',
  { since, heartbeat }: Record<'since' | 'heartbeat', string | null | undefined>,
): NodeCondition {
  const { reason, message } = NODE_CONDITION[type][status];
  return { type, status, lastHeartbeatTime: heartbeat, lastTransitionTime: since, reason, message };
}
