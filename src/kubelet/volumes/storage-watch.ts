import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { storageMeasures, type StorageMeasures } from '../../lifecycle/volumes/local-storage.ts';
import { pause } from '../probe/deadline.ts';
import type { StorageUsage } from '../../lifecycle/base/facts.ts';

export interface StorageWatch {
  readonly pod: StoredPod;
  readonly clock: Clock;
  /** Aborted when the Pod goes down. */
  readonly signal: AbortSignal;
  readonly measure: (pod: StoredPod, wanted: StorageMeasures) => Promise<StorageUsage>;
  readonly onObservation: (usage: StorageUsage) => void;
}

/** Source: pkg/kubelet/kubelet.go evictionMonitoringPeriod. */
const MEASURE_EVERY_MS = 10_000;

/** Measures the disk space of a Pod with limits, every ten seconds. */
export async function watchStorage({ pod, clock, signal, measure, onObservation }: StorageWatch): Promise<void> {
  const wanted = storageMeasures(pod.spec);
  if (wanted === undefined) return;
  for (;;) {
    await pause(clock, MEASURE_EVERY_MS, signal);
    if (signal.aborted) return;
    onObservation(await measure(pod, wanted));
  }
}
