import type { Lapse } from '../../lifecycle/index.ts';
import { containersOf } from '../base/pod-container.ts';
import { firstCause, latestEnd } from '../live/first-cause.ts';
import { NO_RECORDS, type RecordedEvidence } from '../../history/index.ts';

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
