import type { PodrunError, StoredPod } from '../api/index.ts';
import { deletePod, EventRecorder, type EventRecorderOptions } from '../apiserver/index.ts';
import { DISRUPTION_TARGET, PREEMPTED, preemptedBy, setConditions } from '../lifecycle/index.ts';
import type { FileStore } from '../store/index.ts';

interface PreemptionOptions extends EventRecorderOptions {
  readonly store: FileStore;
  readonly nodeName: string;
  /** Publishes that the Pod of higher priority waits. */
  readonly waits: () => void;
  readonly onTrouble: (error: PodrunError) => void;
}

/**
 * Deletes Pods of lower priority, also of other agents: these end them. A Pod that ends already is left alone. The
 * order of the writes is the scheduler's. Source: pkg/scheduler/framework/preemption/executor.go.
 */
export function preemptVictims(victims: readonly StoredPod[], by: StoredPod, options: PreemptionOptions): void {
  const { store, clock, nodeName, waits, onTrouble } = options;
  const report = (error: unknown): void => onTrouble(error as PodrunError);
  const going = victims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const edit = { type: DISRUPTION_TARGET, status: 'True', ...PREEMPTED } as const;
  for (const { metadata } of going) {
    try {
      store.change<StoredPod>('pods', metadata, 'status', (pod) => {
        return { ...pod, status: setConditions(pod.status, [edit], clock.now().wallMs) };
      });
    } catch (error) {
      report(error);
    }
  }
  waits();
  const recorder = new EventRecorder(options);
  for (const victim of going) {
    const { namespace, name } = victim.metadata;
    void deletePod({ store, clock, namespace, name, graceSeconds: undefined }).catch(report);
    try {
      recorder.recordScheduling(victim, preemptedBy(by.metadata.uid, nodeName));
    } catch (error) {
      report(error);
    }
  }
}
