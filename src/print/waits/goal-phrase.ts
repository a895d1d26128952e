import { mostSimilar, type StoredPod } from '../../api/index.ts';
import { NO_RECORDS, type RecordedEvidence } from '../../history/index.ts';
import {
  decidedEnd,
  type ForeignDeletion,
  isNodeCondition,
  type Lapse,
  NODE_CONDITIONS,
  shouldRestart,
  type WantedState,
} from '../../lifecycle/index.ts';
import { describeEnd } from '../base/exit-code.ts';
import { containersOf, nameContainer, type PodContainer } from '../base/pod-container.ts';
import { causeOf, firstCause, latestEnd } from '../live/first-cause.ts';
import { waitingFor } from '../live/waiting-for.ts';

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

/** A clause about the reason why a Pod left its goal: `container main exited with code 3`. */
export function whyLapsed({ pod, container }: Lapse, records: RecordedEvidence = NO_RECORDS): string {
  if (pod.status.phase === 'Unknown') return pod.status.message ?? 'no podrun runs it any more';
  if (pod.status.reason) return firstCause(pod, records);
  const view = containersOf(pod).find((candidate) => candidate.container.name === container);
  return (view && latestEnd(pod, view, records)) ?? firstCause(pod, records);
}

/** The end of such a Pod, after its name: `did not stay ready`. */
export function howLapsed({ pod }: Lapse): string {
  switch (pod.status.phase) {
    case 'Failed':
      return 'failed';
    case 'Unknown':
      return 'is Unknown';
    case 'Pending':
    case 'Running':
    case 'Succeeded':
    case undefined:
      return 'did not stay ready';
    default:
      return pod.status.phase satisfies never;
  }
}

/** A clause about an object that was deleted while COMMAND ran. */
export function deletionText({ object: { kind, metadata }, author }: ForeignDeletion): string {
  return `${kind.toLowerCase()} "${metadata.name}" was deleted while COMMAND was running: by ${author}`;
}

/** A clause about the reason why a Pod can never reach the wanted state: see `lifecycle/requests/goal.ts`. */
export function whyNever(pod: StoredPod, wanted: WantedState | undefined, records: RecordedEvidence): string {
  const { metadata, status } = pod;
  if (status.phase === 'Unknown') return status.message ?? 'no podrun runs it any more';
  if (wanted?.type === 'phase' && !/^(Pending|Running|Succeeded|Failed|Unknown)$/.test(wanted.phase)) {
    return 'the phases of a Pod are Pending, Running, Succeeded, Failed and Unknown';
  }
  const end = decidedEnd(pod);
  if (end === 'Succeeded') return 'it has Succeeded: its containers have ended, and are not started again';
  if (end === undefined && metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  const cause = causeOf(pod, records);
  if (cause !== undefined && cause.kind !== 'readiness') return cause.text;
  return end === undefined ? (endedForGood(pod) ?? firstCause(pod, records)) : firstCause(pod, records);
}

/** A clause about a container that ended for good: its Pod may run, but is not Ready. */
function endedForGood(pod: StoredPod): string | undefined {
  const view = containersOf(pod).find((candidate) => candidate.role === 'regular' && isEndedForGood(pod, candidate));
  const ended = view?.status?.state?.terminated;
  return view && ended && `${nameContainer(view)} ${describeEnd(ended)}, and is not started again`;
}

/** True when the container has ended and its restart policy does not restart it. */
export function isEndedForGood({ spec }: StoredPod, { container, status }: PodContainer): boolean {
  const ended = status?.state?.terminated;
  return ended !== undefined && !shouldRestart(spec.restartPolicy, container, ended.exitCode);
}
