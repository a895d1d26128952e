import type { StoredEvent } from '../api/index.ts';
import type { HookRun, ProbeAttempt } from '../lifecycle/index.ts';

/** The end of a container's output. */
export interface LogTail {
  /** The lines without line ends, oldest first. */
  readonly lines: readonly string[];
  /** True when the previous run printed the lines, because the current one has no output yet. */
  readonly isOfPreviousRun: boolean;
}

/** The records of a Pod, besides the object itself and its logs. */
export interface RecordedEvidence {
  /** The latest entries of the probe journal, oldest first. */
  readonly attempts: readonly ProbeAttempt[];
  /** The latest entries of the hook journal, oldest first. */
  readonly hooks: readonly HookRun[];
  /** The Events about the Pod. */
  readonly events: readonly StoredEvent[];
}

/** The records for callers that have only the object. */
export const NO_RECORDS: RecordedEvidence = { attempts: [], hooks: [], events: [] };

/** Everything that may explain the state of a Pod. */
export interface PodEvidence extends RecordedEvidence {
  /** The ends of logs by name of the container. A container without output may be missing. */
  readonly logs: ReadonlyMap<string, LogTail>;
}
