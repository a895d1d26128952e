import { type StoredPod, trueCondition, type Workload } from '../../api/index.ts';

/** An applied object that decides about a run of `apply`: a Pod, or a workload with its Pods. */
export interface Root {
  /** The object in its last state. */
  readonly object: StoredPod | Workload;
  /** True for a workload that was removed. */
  readonly isGone: boolean;
  /** The Pods that run for a workload, also the ended Pods. The root itself, if it is a Pod. */
  readonly pods: readonly StoredPod[];
}

export function podRoot(pod: StoredPod): Root {
  return { object: pod, isGone: false, pods: [pod] };
}

/**
 * The end of a root. A Pod or a Job has its own. Everything else only ends when it is removed, which is no failure. A
 * Job that is removed before it was Complete has failed.
 */
export function rootEnd({ object, isGone }: Omit<Root, 'pods'>): 'running' | 'succeeded' | 'failed' {
  if (object.kind === 'Pod') {
    const { phase } = object.status;
    if (phase === 'Succeeded') return 'succeeded';
    return phase === 'Failed' ? 'failed' : 'running';
  }
  if (object.kind !== 'Job') return isGone ? 'succeeded' : 'running';
  const { status = {} } = object;
  if (trueCondition(status, 'Complete') !== undefined) return 'succeeded';
  return isGone || trueCondition(status, 'Failed') !== undefined ? 'failed' : 'running';
}

/**
 * The Pods that have to keep running once the goal is reached: the Pods of all roots but Jobs, which replace a Pod that
 * fails, and end by themselves.
 */
export function servingPods(roots: readonly Root[]): StoredPod[] {
  return roots.flatMap(({ object: { kind }, pods }) => (kind === 'Job' || kind === 'CronJob' ? [] : pods));
}
