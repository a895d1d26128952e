import { podGoal, type RunGoal, runGoalState, runGoalText, wantedOf } from '../../controllers/index.ts';
import { type Root, rootEnd } from '../../lifecycle/index.ts';
import { joinPhrases, rootWait } from '../../print/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import { evidenceAbout } from '../../store/index.ts';
import { RecordWatches } from '../waiting/wait-watch.ts';
import { WaitProgress } from '../waiting/wait-progress.ts';
import type { RunSession } from './session.ts';

/** The time before the first progress line: short waits are not worth a line. */
const QUIET_MS = 1000;

/** A run that is waited for. */
export interface AwaitedRun {
  readonly roots: () => readonly Root[];
  /** Lines about Services that goals with Ready wait for. */
  readonly unserved: () => readonly string[];
  /** True when this process runs Pods: then a terminal has a status block. */
  readonly isOwnRun: boolean;
}

/**
 * Shows which roots `apply` waits for, until closed. Shows nothing where the view has a status block.
 */
export function showProgress(
  { cli, plan, flags, store }: RunSession,
  { roots, unserved, isOwnRun }: AwaitedRun,
): { close(): void } {
  const { goal, timeoutMs } = plan;
  const isWaiting = goal !== undefined || timeoutMs !== undefined;
  if (!isWaiting || flags.output === 'json' || (isOwnRun && cli.stderr.isTerminal)) return { close: () => undefined };
  const waited = new RecordWatches(store);
  const recordsOf = (object: Root['object']): RecordedEvidence =>
    object.kind === 'Pod' ? waited.of(object).records : evidenceAbout(store, object);
  const progress = new WaitProgress({
    cli,
    quietMs: QUIET_MS,
    phrase: () => {
      const late = roots().filter((root) => !isThere(root, goal));
      if (late.length === 0 && goal !== undefined) {
        const settling = `${runGoalText(goal)} to hold for ${flags.settle} (--settle)`;
        const text = `waiting for ${unserved().join('; ') || settling}`;
        return { text, key: text };
      }
      const nowMs = cli.clock.now().wallMs;
      return joinPhrases(
        late.map((root) => {
          const wanted = goal && wantedOf(goal, root);
          return rootWait(root, nowMs, wanted && podGoal(wanted), recordsOf);
        }),
      );
    },
  });
  return {
    close: () => {
      progress.close();
      waited.close();
    },
  };
}

/** True when the root meets the goal, or has ended where there is no goal. A goal passes over some kinds. */
export function isThere(root: Root, goal: RunGoal | undefined): boolean {
  return goal === undefined ? rootEnd(root) !== 'running' : runGoalState(goal, root) === 'met';
}
