import type { StoredEvent } from '../../api/objects.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';

/** The end of what a container has printed. */
export interface LogTail {
  /** Without line ends, oldest first. */
  readonly lines: readonly string[];
  /** They are of the run before: the present one has printed nothing yet. */
  readonly isOfPreviousRun: boolean;
}

/** What is on record of a Pod beside the object itself, as far as it can say why the Pod is not where it should be. */
export interface PodEvidence {
  /** The latest of the probe journal, oldest first. */
  readonly attempts: readonly ProbeAttempt[];
  /** By name of the container; one that never printed anything need not be there. */
  readonly logs: ReadonlyMap<string, LogTail>;
  /** Those about the Pod. */
  readonly events: readonly StoredEvent[];
}
