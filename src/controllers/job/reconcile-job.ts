import { controllerOf, finishedCondition, matchesSelector, parseTime, type StoredPod } from '../../api/index.ts';
import { deleteAction, patchAction } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import type { ControllerAction, Reconciliation, StoredJob } from '../base/reconcile.ts';
import { hasJobFinalizer, JOB_FINALIZER, withoutJobFinalizer } from './job-pods.ts';
import type { JobInput } from './job-view.ts';
import { syncJob } from './sync-job.ts';

const OWN_NAME = 'kubernetes.io/job-controller';

/**
 * The controller of Jobs. A Job that another controller manages is left alone.
 * Source: pkg/controller/job/job_controller.go syncJob.
 */
export function reconcileJob(job: StoredJob, input: JobInput): Reconciliation {
  const { managedBy } = job.spec;
  if (managedBy !== undefined && managedBy !== OWN_NAME) return { actions: [] };
  if (finishedCondition(job.status ?? {}) !== undefined) return afterTheEnd(job, input);
  const matches = ({ metadata }: StoredPod): boolean => matchesSelector(job.spec.selector, metadata.labels);
  const claim = claimObjects(job, input.pods, { matches, finalizer: JOB_FINALIZER });
  return claim.actions.length > 0 ? { actions: claim.actions } : syncJob(job, claim.owned, input);
}

/**
 * A finished Job keeps no Pod from going, and goes itself when its time to live is over: in the foreground, its Pods
 * first. Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
 */
function afterTheEnd(job: StoredJob, { pods, now }: JobInput): Reconciliation {
  const tracked = pods.filter((pod) => isControlledBy(pod, job) && hasJobFinalizer(pod));
  const actions = tracked.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
  const expiryMs = jobExpiryMs(job);
  if (expiryMs === undefined || hasDeletionTimestamp(job)) return { actions };
  if (expiryMs > now.wallMs) return { actions, lookAgainAtMs: expiryMs };
  return { actions: [...actions, deleteAction(job, 'Foreground')] };
}

/**
 * The time when a Job is to be removed, milliseconds since 1970. Undefined: it still runs, or it stays.
 * Source: ttlafterfinished_controller.go getFinishAndExpireTime.
 */
export function jobExpiryMs({ spec, status }: StoredJob): number | undefined {
  const finished = finishedCondition(status ?? {});
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (finished === undefined || seconds === undefined) return undefined;
  return parseTime(finished.lastTransitionTime ?? '') + seconds * 1000;
}

/**
 * Takes the finalizer from Pods whose Job is gone: no sync counts them any more. Pods of other owners keep it.
 * Source: pkg/controller/job/job_controller.go syncOrphanPod.
 * @param jobs the Jobs that exist
 */
export function releaseOrphanedPods(pods: readonly StoredPod[], jobs: readonly StoredJob[]): ControllerAction[] {
  const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
  const orphans = pods.filter((pod) => {
    const { kind = 'Job', uid = '' } = controllerOf(pod) ?? {};
    return hasJobFinalizer(pod) && kind === 'Job' && !uids.has(uid);
  });
  return orphans.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
}
