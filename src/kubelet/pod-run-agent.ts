import type { StoredPod } from '../api/index.ts';
import type { EventDraft, SchedulerFacts, SyncConfig } from '../lifecycle/index.ts';

/**
 * The agent, as the run of one of its Pods sees it.
 * @typeParam Run the run of a Pod: PodRun
 */
export interface PodRunAgent<Run> {
  /** The settings of a sync. Called again after each change of the object. */
  config(pod: StoredPod): SyncConfig;
  /** Events about fields of the spec that have no effect here. Called again after a change of the spec. */
  notices(pod: StoredPod): readonly EventDraft[];
  schedulerFacts(run: Run): SchedulerFacts;
  /** Runs a step of the scheduler while no other agent runs one. */
  alone<T>(step: () => T): T;
  /**
   * Deletes Pods of lower priority for a Pod that waits.
   * @param publish publishes that it waits
   */
  preempt(victims: readonly StoredPod[], by: StoredPod, publish: () => void): void;
  /** Called when the node has taken the Pod. */
  placed(run: Run): void;
  /** Called after another writer has changed a Pod that runs. */
  changed(pod: StoredPod): void;
  /** Called when the Pod has ended or is gone. */
  over(run: Run): void;
  /** Called when the object of a Pod that has ended is removed, and everybody in this process has heard of that. */
  removed(run: Run): void;
}
