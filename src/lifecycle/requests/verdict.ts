import { EXIT } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { RunOutcome } from './run-outcome.ts';

/** A Pod because of which a run counts as failed. */
export type Fault =
  /** The Pod ended with another phase than Succeeded. */
  | { readonly type: 'failed'; readonly pod: StoredPod }
  /** The Pod can no longer reach the goal. */
  | { readonly type: 'impossible'; readonly pod: StoredPod }
  /** The Pod had reached the goal and broke down; see `Lapse`. */
  | { readonly type: 'lapsed'; readonly pod: StoredPod; readonly container: string | undefined }
  /** podrun knows no program for the image of the Pod. */
  | { readonly type: 'stuck'; readonly pod: StoredPod };

/** The completeness of a run's record. `lost`: the record of a Pod or the whole state folder is gone. */
export type RunRecord = 'complete' | 'incomplete' | 'lost';

export interface Verdict {
  /** The exit code of `apply`, as its help lists them. */
  readonly exitCode: number;
  /** `interrupted`: a signal ended the run, so the run has neither passed nor failed. */
  readonly result: 'passed' | 'failed' | 'interrupted';
  /**
   * The Pods at fault, as they were when podrun noticed the fault. Empty when the time limit, COMMAND or the record
   * decided.
   */
  readonly faults: readonly Fault[];
}

const SIGNAL_EXIT = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.nobodyReads,
  SIGTERM: EXIT.terminated,
} as const;

/**
 * The verdict on a run of Pods. The exit code of `apply`, its last lines, its JUnit report and the error of the
 * library's `until` all follow this verdict.
 * @param pods all Pods of the run, as they are now
 */
export function verdictOf(outcome: RunOutcome, pods: readonly StoredPod[], record: RunRecord): Verdict {
  const verdict = verdictOnPods(outcome, pods);
  const isRecordToBlame = record === 'lost' || (record === 'incomplete' && verdict.exitCode === EXIT.ok);
  return isRecordToBlame ? { ...verdict, exitCode: EXIT.failed, result: 'failed' } : verdict;
}

function verdictOnPods(outcome: RunOutcome, pods: readonly StoredPod[]): Verdict {
  switch (outcome.type) {
    case 'ended':
      return failing(pods.flatMap((pod) => (pod.status.phase === 'Succeeded' ? [] : [{ type: 'failed', pod }])));
    case 'goalMet':
      return failing([]);
    case 'goalImpossible':
      return failing([{ type: 'impossible', pod: outcome.pod }]);
    case 'goalLapsed':
      return failing([{ type: 'lapsed', ...outcome.lapse }]);
    case 'stuck':
      return failing(outcome.pods.map((pod) => ({ type: 'stuck', pod })));
    case 'timedOut':
      return { exitCode: EXIT.timeout, result: 'failed', faults: [] };
    case 'commandEnded': {
      const { exitCode, lapse } = outcome;
      const verdict = failing(lapse === undefined ? [] : [{ type: 'lapsed', ...lapse }]);
      return exitCode === 0 ? verdict : { ...verdict, exitCode, result: 'failed' };
    }
    case 'interrupted':
      return { exitCode: SIGNAL_EXIT[outcome.signal], result: 'interrupted', faults: [] };
    default:
      return outcome satisfies never;
  }
}

function failing(faults: readonly Fault[]): Verdict {
  return faults.length === 0
    ? { exitCode: EXIT.ok, result: 'passed', faults }
    : { exitCode: EXIT.failed, result: 'failed', faults };
}
