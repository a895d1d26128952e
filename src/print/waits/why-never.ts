import type { StoredPod } from '../../api/index.ts';
import { decidedEnd, shouldRestart, type WantedState } from '../../lifecycle/index.ts';
import { describeEnd } from '../base/exit-code.ts';
import { type PodContainer, containersOf, nameContainer } from '../base/pod-container.ts';
import { causeOf, firstCause } from '../live/first-cause.ts';
import type { RecordedEvidence } from '../../history/index.ts';

/** A clause about the reason why a Pod can never reach the wanted state: see `lifecycle/requests/unattainable.ts`. */
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
