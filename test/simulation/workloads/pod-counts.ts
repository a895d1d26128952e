import type { StoredPod, WatchEvent } from '../../../src/api/objects.ts';
import { isTerminalPhase } from '../../../src/api/objects.ts';
import type { AnyObject } from './workload-simulation.ts';

/** The Pods after a change of one of them: those that are neither deleted nor ended. */
export interface PodCount {
  readonly all: number;
  readonly ready: number;
  /** True when the change was the deletion of a Pod that was ready. */
  readonly hasLostReady: boolean;
}

export function* podCounts(seen: ReadonlyArray<WatchEvent<AnyObject>>): Generator<PodCount> {
  const pods = new Map<string, StoredPod>();
  for (const { type, object } of seen) {
    if (object.kind !== 'Pod') continue;
    const pod = object as unknown as StoredPod;
    const before = pods.get(pod.metadata.uid);
    const isDeleted = type === 'DELETED' || pod.metadata.deletionTimestamp !== undefined;
    if (isDeleted || isTerminalPhase(pod.status.phase)) pods.delete(pod.metadata.uid);
    else pods.set(pod.metadata.uid, pod);
    const all = [...pods.values()];
    yield {
      all: all.length,
      ready: all.filter(isReady).length,
      hasLostReady: isDeleted && before !== undefined && isReady(before),
    };
  }
}

export function isReady({ status }: StoredPod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
