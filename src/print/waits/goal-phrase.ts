import { mostSimilar, type StoredPod } from '../../api/index.ts';
import { isNodeCondition, NODE_CONDITIONS, type WantedState } from '../../lifecycle/index.ts';
import { waitingFor } from '../live/waiting-for.ts';
import type { RecordedEvidence } from '../../history/index.ts';

type WantedCondition = Extract<WantedState, { type: 'condition' }>;

/** True for a condition that the node does not set, and for a condition of the node that shall not be True. */
function isNotSetByNode(wanted: WantedState | undefined): wanted is WantedCondition {
  return wanted?.type === 'condition' && (!isNodeCondition(wanted.condition) || wanted.status !== 'True');
}

/** The reason why a Pod has not reached the wanted state, as a phrase after "waiting for". */
export function goalPhrase(
  pod: StoredPod,
  wanted: WantedState | undefined,
  nowMs: number,
  records: RecordedEvidence,
): string {
  return isNotSetByNode(wanted) ? conditionPhrase(pod, wanted) : waitingFor(pod, nowMs, records);
}

/** The text `condition example.com/warm to be True: it is not set`. */
function conditionPhrase(pod: StoredPod, { condition, status }: WantedCondition): string {
  const present = pod.status.conditions?.find(({ type }) => type.toLowerCase() === condition.toLowerCase());
  const meant = likelyGoal(pod, condition);
  const why = [present?.reason, present?.message].filter(Boolean).join(': ');
  const now = present === undefined ? 'it is not set' : `it is ${present.status}${why === '' ? '' : ` (${why})`}`;
  return `condition ${condition} to be ${status}: ${now}${meant === undefined ? '' : `, did you mean ${meant}?`}`;
}

/** The goal that a misspelt condition may mean. Undefined when none is similar. */
export function likelyGoal({ spec, status }: StoredPod, condition: string): string | undefined {
  const own = [
    ...(status.conditions ?? []).map(({ type }) => type),
    ...(spec.readinessGates ?? []).map(({ conditionType }) => conditionType),
  ];
  const isKnown = [...own, ...NODE_CONDITIONS].some((name) => name.toLowerCase() === condition.toLowerCase());
  return isKnown ? undefined : mostSimilar(condition, ['ready', 'succeeded', 'failed', ...own, ...NODE_CONDITIONS]);
}
