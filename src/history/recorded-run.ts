import type { StoredEvent, StoredPod, WatchEvent } from '../api/objects.ts';
import type { HookRun } from '../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';

/** A state of a Pod, or an Event about it, as it was written. */
export interface RecordedTransition {
  /** Milliseconds since 1970, fractions allowed; never earlier than that of the transition before. */
  readonly at: number;
  readonly type: WatchEvent['type'];
  /** `object.kind` tells which of the two it is. */
  readonly object: StoredPod | StoredEvent;
}

/** One run of a Pod, from its creation as far as it got: all that the store keeps of it but the logs. */
export interface RecordedRun {
  readonly namespace: string;
  /** Of the Pod. */
  readonly name: string;
  readonly uid: string;
  /** In the order in which they were written; a run that was replaced or deleted ends with DELETED. */
  readonly transitions: readonly RecordedTransition[];
  /** The probe journal, in order. */
  readonly probes: readonly ProbeAttempt[];
  /** The hook journal, in the order in which hooks returned. */
  readonly hooks: readonly HookRun[];
}
