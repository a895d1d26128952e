import type { StoredEvent, StoredPod, WatchEvent } from '../../api/index.ts';
import type { HookRun, ProbeAttempt } from '../../lifecycle/index.ts';

/** A state of a Pod, or an Event about the Pod, as recorded. */
export interface RecordedTransition {
  /** Milliseconds since 1970, fractions allowed. Never before the previous transition. */
  readonly at: number;
  readonly type: WatchEvent['type'];
  /** `object.kind` distinguishes Pods and Events. */
  readonly object: StoredPod | StoredEvent;
}

/** The record of one run of a Pod, from its creation on. Contains everything but the logs. */
export interface RecordedRun {
  readonly namespace: string;
  /** The name of the Pod. */
  readonly name: string;
  readonly uid: string;
  /**
   * The transitions in the order in which they were written. The run of a replaced or deleted Pod ends with DELETED.
   */
  readonly transitions: readonly RecordedTransition[];
  /** The probe journal, in order. */
  readonly probes: readonly ProbeAttempt[];
  /** The hook journal, in the order in which hooks returned. */
  readonly hooks: readonly HookRun[];
}
