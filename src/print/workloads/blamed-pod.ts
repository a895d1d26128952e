import type { StoredPod } from '../../api/index.ts';
import type { Root } from '../../lifecycle/index.ts';
import { causeOf } from '../live/first-cause.ts';
import { conditionOf } from '../table/pod-status.ts';

/** The Pod that explains best why a root is not where it should be. Undefined when all Pods of a workload are well. */
export function blamedPod({ object, pods }: Root): StoredPod | undefined {
  if (object.kind === 'Pod') return object;
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod) })).filter(({ rank }) => rank < WELL);
  const [first] = ranked.toSorted((a, b) => a.rank - b.rank || newerFirst(a.pod, b.pod));
  return first?.pod;
}

const WELL = 3;

/** The lower, the worse: failed or restarted, not Ready, being deleted, well. */
function rankOf(pod: StoredPod): number {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return status.phase === 'Failed' ? 2 : WELL;
  const isReady = conditionOf(status, 'Ready')?.status === 'True';
  if (isReady || status.phase === 'Succeeded') return WELL;
  const cause = causeOf(pod);
  return cause === undefined || cause.kind === 'readiness' ? 1 : 0;
}

function newerFirst({ metadata: a }: StoredPod, { metadata: b }: StoredPod): number {
  if (a.creationTimestamp === b.creationTimestamp) return 0;
  return a.creationTimestamp < b.creationTimestamp ? 1 : -1;
}
