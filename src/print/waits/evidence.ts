import type { StoredEvent } from '../../api/objects.ts';
import type { HookRun } from '../../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';

/** The end of what a container has printed. */
export interface LogTail {
  /** Without line ends, oldest first. */
  readonly lines: readonly string[];
  /** They are of the run before: the present one has printed nothing yet. */
  readonly isOfPreviousRun: boolean;
}

/** What is on record of a Pod beside the object itself and its logs. */
export interface PodRecords {
  /** The latest of the probe journal, oldest first. */
  readonly attempts: readonly ProbeAttempt[];
  /** The latest of the hook journal, oldest first. */
  readonly hooks: readonly HookRun[];
  /** The Events about the Pod. */
  readonly events: readonly StoredEvent[];
}

/** Where the object alone is at hand. */
export const NO_RECORDS: PodRecords = { attempts: [], hooks: [], events: [] };

/** All that can say why a Pod is not where it should be. */
export interface PodEvidence extends PodRecords {
  /** By name of the container; one that never printed anything need not be there. */
  readonly logs: ReadonlyMap<string, LogTail>;
}
