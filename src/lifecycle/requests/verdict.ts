import { EXIT, type StoredPod } from '../../api/index.ts';
import { type Root, rootEnd } from './root.ts';
import type { RunOutcome } from './run-outcome.ts';

/** A root or a Pod because of which a run counts as failed. */
export type Fault =
  /** A Pod ended with another phase than Succeeded, or a Job was not Complete. */
  | { readonly type: 'failed'; readonly root: Root }
  /** The root can no longer reach the goal. */
  | { readonly type: 'impossible'; readonly root: Root }
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
   * The roots and Pods at fault, at the moment when podrun noticed the fault. Empty when the time limit, COMMAND or the
   * record decided.
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
 * The verdict on a run. The exit code of `apply`, its last lines, its JUnit report and the error of the library's
 * `until` all follow this verdict.
 * @param roots all roots of the run, in their present state
 */
export function verdictOf(outcome: RunOutcome, roots: readonly Root[], record: RunRecord): Verdict {
  const verdict = verdictOnRoots(outcome, roots);
  const isRecordToBlame = record === 'lost' || (record === 'incomplete' && verdict.exitCode === EXIT.ok);
  return isRecordToBlame ? { ...verdict, exitCode: EXIT.failed, result: 'failed' } : verdict;
}

function verdictOnRoots(outcome: RunOutcome, roots: readonly Root[]): Verdict {
  switch (outcome.type) {
    case 'ended':
      return failing(roots.flatMap((root) => (rootEnd(root) === 'succeeded' ? [] : [{ type: 'failed', root }])));
    case 'goalMet':
      return failing([]);
    case 'goalImpossible':
      return failing([{ type: 'impossible', root: outcome.root }]);
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
    case 'broken':
      return { exitCode: EXIT.failed, result: 'failed', faults: [] };
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
