import type { PodrunError, StoredPod } from '../api/index.ts';
import type { EventRecorderOptions } from '../apiserver/index.ts';
import type { EventDraft, NodeFacts, Placement, Restoration, SchedulerFacts, SyncConfig } from '../lifecycle/index.ts';
import type { Runtime } from '../runtime/index.ts';
import type { PodMachine } from './pod-machine.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/index.ts';

/** The Pods of lower priority that go, and their node. */
export type PreemptedPods = NonNullable<Extract<Placement, { type: 'waits' }>['preempts']>;

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
  /** The node of a Pod, as the Pod sees it. Of a Pod without one: the first node. */
  nodeOf(pod: StoredPod): NodeFacts;
  /** Runs a step of the scheduler while no other agent runs one. */
  alone<T>(step: () => T): T;
  /**
   * Deletes Pods of lower priority for a Pod that waits.
   * @param publish publishes that it waits
   */
  preempt(preempts: PreemptedPods, by: StoredPod, publish: () => void): void;
  /** Called when the node has taken the Pod. */
  placed(run: Run): void;
  /** Called after another writer has changed a Pod. One that waits may be tried again. */
  changed(run: Run): void;
  /** Called after the status of a Pod that runs was written: what it holds of its node may be less. */
  recorded(run: Run): void;
  /** Called when the Pod has ended or is gone. */
  over(run: Run): void;
  /** Called when the object of a Pod that has ended is removed, and everybody in this process has heard of that. */
  removed(run: Run): void;
}

/**
 * The parts of the run of a Pod.
 * @typeParam Run PodRun
 */
export interface RunOfPod<Run> {
  readonly pod: StoredPod;
  readonly store: Store;
  readonly clock: Clock;
  /** The facts of a former agent's Pod. Undefined: the Pod is new. */
  readonly restoration?: Restoration | undefined;
  /** See SandboxOptions. */
  readonly former?: Promise<unknown> | undefined;
  readonly agent: PodRunAgent<Run>;
  readonly runtime: Runtime;
  readonly machine: PodMachine;
  readonly onEvent: EventRecorderOptions['onEvent'];
  /** Called when a record could not be written. */
  readonly onTrouble: (error: PodrunError) => void;
  /** Called when another process removed the record. The Pod is ended. */
  readonly onRecordLost: (pod: StoredPod) => void;
}
