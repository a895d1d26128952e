import {
  type StoredDeployment,
  type StoredJob,
  type StoredPod,
  trueCondition,
  type Workload,
} from '../../api/index.ts';
import { conditionOf } from '../table/pod-status.ts';

/** The Pods of a workload in numbers. */
interface PodCounts {
  /** The number that the workload wants. */
  readonly wanted: number;
  readonly ready: number;
  /** The number that have the current template. */
  readonly updated: number;
  /** All, old ones included. */
  readonly existing: number;
}

/** Undefined for Jobs and CronJobs, which count other things. */
export function podCounts(workload: Workload): PodCounts | undefined {
  switch (workload.kind) {
    case 'CronJob':
    case 'Job':
      return undefined;
    case 'DaemonSet': {
      const { desiredNumberScheduled = 0, currentNumberScheduled = 0 } = workload.status ?? {};
      const { numberReady: ready = 0, updatedNumberScheduled: updated = 0 } = workload.status ?? {};
      return { wanted: desiredNumberScheduled, ready, updated, existing: currentNumberScheduled };
    }
    case 'Deployment':
    case 'StatefulSet': {
      const { replicas: existing = 0, readyReplicas: ready = 0, updatedReplicas: updated = 0 } = workload.status ?? {};
      return { wanted: workload.spec.replicas ?? 1, ready, updated, existing };
    }
    case 'ReplicaSet':
    case 'ReplicationController': {
      const { replicas: existing = 0, readyReplicas: ready = 0 } = workload.status ?? {};
      return { wanted: workload.spec.replicas ?? 1, ready, updated: existing, existing };
    }
    default:
      return workload satisfies never;
  }
}

/** A workload without the status of an earlier run, whose Pods have ended. */
export function withoutOldCounts(workload: Workload, pods: readonly StoredPod[]): Workload {
  const ready = pods.filter(({ status }) => conditionOf(status, 'Ready')?.status === 'True').length;
  return ready < (podCounts(workload)?.ready ?? 0) ? ({ ...workload, status: {} } as Workload) : workload;
}

/** True when exactly the wanted Pods exist, all with the current template and Ready. */
export function isSettled(workload: Workload): boolean {
  const counts = podCounts(workload);
  if (counts === undefined || !isObserved(workload)) return false;
  const { wanted, ready, updated, existing } = counts;
  return ready === wanted && updated === wanted && existing === wanted;
}

/** True when the status is about the current spec. */
function isObserved({ metadata, status }: Workload): boolean {
  const observed = status !== undefined && 'observedGeneration' in status ? status.observedGeneration : undefined;
  return (observed ?? 0) >= (metadata.generation ?? 0);
}

/** The number of the Deployment's template, as its controller wrote it last. The first one is 1. */
export function revisionNumber({ metadata }: StoredDeployment): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision']) || 1;
}

/** The progress in a few words: `3/3 ready`, `revision 2: 2/3 updated, 3/3 ready`, `1/5 complete, 1 failed`. */
export function progressText(workload: Workload): string {
  if (workload.kind === 'Job') return jobProgress(workload);
  if (workload.kind === 'CronJob') return `${workload.status?.active?.length ?? 0} active`;
  const { wanted, ready, updated, existing } = podCounts(workload) ?? { wanted: 0, ready: 0, updated: 0, existing: 0 };
  const readyText = `${ready}/${wanted} ready`;
  // Pods with an older template are left.
  const isUpdating = updated < existing;
  const text = isUpdating ? `${updated}/${wanted} updated, ${readyText}` : readyText;
  if (workload.kind !== 'Deployment') return text;
  const revision = revisionNumber(workload);
  return revision === 1 ? text : `revision ${revision}: ${text}`;
}

function jobProgress({ spec, status = {} }: StoredJob): string {
  const { succeeded = 0, failed = 0 } = status;
  const done = `${succeeded}/${spec.completions ?? 1} complete`;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `${done}${failures}${trueCondition(status, 'Suspended') === undefined ? '' : ', suspended'}`;
}
