import type { StoredPod } from '../../../../src/api/base/objects.ts';
import type { Owned, StoredJob } from '../../../../src/controllers/base/reconcile.ts';
import type { WorkloadEntry } from '../workload-entry.ts';
import { isActive, isCreation, ownerOf, type WorkloadPast } from '../workload-past.ts';

const INDEX = 'batch.kubernetes.io/job-completion-index';
const FINALIZER = 'batch.kubernetes.io/job-tracking';

const indexOf = ({ metadata }: StoredPod): string | undefined => metadata.annotations?.[INDEX];

/** A Job that is written, and its state before. */
function jobIn(entry: WorkloadEntry): { readonly job: StoredJob; readonly before: StoredJob | undefined } | undefined {
  if (entry.type !== 'object' || entry.object.kind !== 'Job') return undefined;
  return { job: entry.object as unknown as StoredJob, before: entry.before as unknown as StoredJob | undefined };
}

/** The Job of a new Pod. */
function jobOf(entry: WorkloadEntry, { objects }: WorkloadPast): StoredJob | undefined {
  if (!isCreation(entry, 'Pod')) return undefined;
  const owner: Owned | undefined = objects.get(ownerOf(entry.object) ?? '');
  return owner as StoredJob | undefined;
}

const conditionsOf = ({ status }: StoredJob): string[] =>
  (status?.conditions ?? []).flatMap(({ type, status: value }) => (value === 'True' ? [type] : []));
const isFinished = (job: StoredJob): boolean =>
  conditionsOf(job).some((type) => type === 'Complete' || type === 'Failed');

/** Each ended Pod is in one of the counters, or is still to be counted. A deleted Job may lose its Pods as orphans. */
export function aJobCountsEachPodOnce(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const { job } = jobIn(entry) ?? {};
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const { succeeded = 0, failed = 0, uncountedTerminatedPods } = job.status ?? {};
  const { succeeded: good = [], failed: bad = [] } = uncountedTerminatedPods ?? {};
  if (new Set([...good, ...bad]).size < good.length + bad.length) return `uncounted twice: ${[...good, ...bad].join()}`;
  const pods = [...past.allPods.values()].filter((pod) => ownerOf(pod) === job.metadata.uid && !isActive(pod));
  const ended = pods.filter(({ status }) => status.phase === 'Succeeded').length;
  const others = pods.filter(({ metadata, status }) => metadata.deletionTimestamp || status.phase === 'Failed').length;
  // The uncounted Pods of an index may all be one success.
  const isIndexed = job.spec.completionMode === 'Indexed';
  const counts = [succeeded + (isIndexed ? 0 : good.length), failed + bad.length] as const;
  const isWrong = counts[0] > ended || counts[1] > others || counts[0] + counts[1] > pods.length;
  return isWrong
    ? `${counts.join(' and ')}, but ${ended} succeeded, ${others} did not, ${pods.length} Pods`
    : undefined;
}

export function aJobNeverCountsBackwards(entry: WorkloadEntry): string | undefined {
  const { job, before } = jobIn(entry) ?? {};
  if (job === undefined || before === undefined) return undefined;
  const fell = (['succeeded', 'failed'] as const).find(
    (field) => (job.status?.[field] ?? 0) < (before.status?.[field] ?? 0),
  );
  return fell && `${fell}: ${before.status?.[fell]} to ${job.status?.[fell]}`;
}

export function aJobHasOneEnd(entry: WorkloadEntry): string | undefined {
  const { job, before } = jobIn(entry) ?? {};
  if (job === undefined) return undefined;
  const ends = conditionsOf(job).filter((type) => type === 'Complete' || type === 'Failed');
  const lost = before && conditionsOf(before).find((type) => type !== 'Suspended' && !conditionsOf(job).includes(type));
  if (lost !== undefined) return `${lost} is gone`;
  if (ends.length > 1) return ends.join();
  const { completions, completionMode, successPolicy } = job.spec;
  const { succeeded = 0, terminating = 0, active = 0 } = job.status ?? {};
  if (ends.length === 1 && terminating + active > 0)
    return `${ends.join()} with ${active} active, ${terminating} ending`;
  const { succeededCount, succeededIndexes = '' } = successPolicy?.rules[0] ?? {};
  const wanted = successPolicy === undefined ? completions : (succeededCount ?? succeededIndexes.split(',').length);
  const isTooEarly = ends[0] === 'Complete' && wanted !== undefined && succeeded < wanted;
  return isTooEarly ? `complete with ${succeeded} of ${wanted} ${completionMode}` : undefined;
}

/** A failed Pod fails its Job at once only where a rule of the Job says so. */
export function onlyAFailurePolicyFailsAJobAtOnce(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const { job, before } = jobIn(entry) ?? {};
  const end = job?.status?.conditions?.find(({ type }) => type === 'FailureTarget');
  const isNew = before !== undefined && !conditionsOf(before).includes('FailureTarget');
  if (job === undefined || end?.reason !== 'PodFailurePolicy' || !isNew) return undefined;
  const failed = [...past.allPods.values()].filter((pod) => ownerOf(pod) === job.metadata.uid && hasExitedWith(pod, 1));
  const mayFail = job.spec.podFailurePolicy?.rules.some(({ action }) => action === 'FailJob') === true;
  return mayFail && failed.length > 0 ? undefined : `${end.message}`;
}

function hasExitedWith({ status }: StoredPod, exitCode: number): boolean {
  return status.containerStatuses?.some(({ state }) => state?.terminated?.exitCode === exitCode) === true;
}

export function aJobRunsNoMorePodsThanItMay(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const job = jobOf(entry, past);
  if (job === undefined) return undefined;
  const { parallelism = 1, completions = Infinity, suspend } = job.spec;
  const active = past.podsOf(job.metadata.uid).filter(isActive);
  const { succeeded = 0 } = job.status ?? {};
  if (conditionsOf(job).some((type) => type !== 'Suspended')) return `a Pod after ${conditionsOf(job).join()}`;
  if (suspend === true) return 'a Pod of a suspended Job';
  if (active.length > Math.min(parallelism, completions - succeeded)) {
    return `${active.length} active, parallelism ${parallelism}, ${succeeded} of ${completions} done`;
  }
  const indexes = active.flatMap((pod) => indexOf(pod) ?? []);
  return new Set(indexes).size < indexes.length ? `indexes ${indexes.join()}` : undefined;
}

/** A Pod that ends is replaced before or after its end, as the Job says. */
export function podsAreReplacedWhenTheyHaveEnded(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const job = jobOf(entry, past);
  if (job?.spec.podReplacementPolicy !== 'Failed') return undefined;
  const { parallelism = 1 } = job.spec;
  const running = past
    .podsOf(job.metadata.uid)
    .filter(({ status: { phase } }) => phase !== 'Failed' && phase !== 'Succeeded');
  return running.length > parallelism ? `${running.length} Pods run, parallelism ${parallelism}` : undefined;
}

/** True for a Pod that ended before anybody deleted it. */
const hasEndedItself = ({ metadata, status: { phase } }: StoredPod): boolean =>
  metadata.deletionTimestamp === undefined && (phase === 'Succeeded' || phase === 'Failed');

/** A Job that has ended keeps no Pod, and has counted all that ended by themselves. */
export function jobsRestWhenTheyHaveEnded(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest') return undefined;
  for (const object of past.all('Job')) {
    const job = object as unknown as StoredJob;
    if (!isFinished(job)) return `${job.metadata.name} never ends: ${JSON.stringify(job.status)}`;
    const held = past.podsOf(job.metadata.uid).find(({ metadata }) => metadata.finalizers?.includes(FINALIZER));
    const { uncountedTerminatedPods: { succeeded = [], failed = [] } = {} } = job.status ?? {};
    if (held !== undefined) return `${held.metadata.name} is held`;
    const ended = [...past.allPods.values()].filter((pod) => ownerOf(pod) === job.metadata.uid && hasEndedItself(pod));
    const counted = (job.status?.succeeded ?? 0) + (job.status?.failed ?? 0);
    if (counted < ended.length) return `${ended.length} Pods have ended, ${counted} are counted`;
    if (succeeded.length + failed.length > 0) return `uncounted: ${[...succeeded, ...failed].join()}`;
  }
  return undefined;
}
