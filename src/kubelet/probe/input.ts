import type { Container, Probe, StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ProbeType } from '../../lifecycle/index.ts';
import type { ExecOutcome } from '../../runtime/index.ts';
import type { ProbeAbort } from './probe-abort.ts';

/** The dependencies of one run of a probe. */
export interface ProbeInput {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly probe: Probe;
  readonly type: ProbeType;
  /** Runs a command in the container. */
  readonly exec: (argv: [string, ...string[]], timeoutMs: number, signal: AbortSignal) => Promise<ExecOutcome>;
  readonly clock: Clock;
  /** Aborted when the outcome does not matter any more. */
  readonly abort: ProbeAbort;
}
