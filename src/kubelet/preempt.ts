import type { StoredPod } from '../api/index.ts';
import { EventRecorder, type EventRecorderOptions } from '../apiserver/index.ts';
import { reportTrouble } from '../defects.ts';
import { DISRUPTION_TARGET, outranked, PREEMPTED, preemptedBy, setConditions } from '../lifecycle/index.ts';
import type { Store } from '../store/index.ts';

interface PreemptionOptions extends EventRecorderOptions {
  readonly store: Store;
  readonly nodeName: string;
  /** The Pods that wait for preempted Pods of a node. */
  readonly nominated: readonly StoredPod[];
  /** Publishes that the Pod of higher priority waits. */
  readonly waits: () => void;
  /** Deletes a Pod with its own grace period. */
  readonly deletePod: (pod: StoredPod) => void;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Deletes Pods of lower priority, also of other agents: these end them. A Pod that ends already is left alone. Pods of
 * lower priority that wait for the node wait for it no more. The order of the writes is the scheduler's. Source:
 * pkg/scheduler/framework/preemption/executor.go.
 */
export function preemptVictims(victims: readonly StoredPod[], by: StoredPod, options: PreemptionOptions): void {
  const { store, clock, nodeName, nominated, waits, deletePod, onTrouble } = options;
  const report = (error: unknown): void => reportTrouble(error, onTrouble);
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
    deletePod(victim);
    try {
      recorder.recordScheduling(victim, preemptedBy(by.metadata.uid, nodeName));
    } catch (error) {
      report(error);
    }
  }
  for (const { metadata } of outranked(by, nodeName, nominated)) {
    try {
      store.change<StoredPod>('pods', metadata, 'status', ({ status, ...pod }) => {
        const { nominatedNodeName: _, ...unnominated } = status;
        return { ...pod, status: unnominated };
      });
    } catch (error) {
      report(error);
    }
  }
}
