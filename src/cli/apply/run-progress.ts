import { isLookedAt, podGoal, rootGoalState } from '../../controllers/index.ts';
import { goalText, type PodGoal, type Root, rootEnd } from '../../lifecycle/index.ts';
import { joinPhrases, likelyGoal, rootWait } from '../../print/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import { evidenceAbout } from '../../store/index.ts';
import { RecordWatches } from '../waiting/record-watches.ts';
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
 * Shows which roots `apply` waits for, until closed. Shows nothing where the view has a status block. Warns at once
 * about a goal that looks like a typing mistake.
 */
export function showProgress(
  { cli, plan, flags, store, view }: RunSession,
  { roots, unserved, isOwnRun }: AwaitedRun,
): { close(): void } {
  const { goal, timeoutMs } = plan;
  const slip = slipOf(goal, roots());
  if (slip !== undefined) view.trouble(slip);
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
        const settling = `${goalText(goal)} to hold for ${flags.settle} (--settle)`;
        const text = `waiting for ${unserved().join('; ') || settling}`;
        return { text, key: text };
      }
      const wanted = goal && podGoal(goal);
      const nowMs = cli.clock.now().wallMs;
      return joinPhrases(late.map((root) => rootWait(root, nowMs, wanted, recordsOf)));
    },
  });
  return {
    close: () => {
      progress.close();
      waited.close();
    },
  };
}

/** The warning about a condition in `--until` that no Pod sets, when another goal has a similar name. */
function slipOf(goal: PodGoal | undefined, roots: readonly Root[]): string | undefined {
  const asked = goal && podGoal(goal);
  if (asked?.type !== 'condition') return undefined;
  const { condition } = asked;
  const names = roots.map(({ object }) => (object.kind === 'Pod' ? likelyGoal(object, condition) : undefined));
  const [first, ...others] = names;
  if (first === undefined || others.includes(undefined)) return undefined;
  return `--until ${goalText(asked)}: no Pod has a condition ${condition}, did you mean ${first}?`;
}

/** True when the root meets the goal, or has ended where there is no goal. A goal passes over some kinds. */
export function isThere(root: Root, goal: PodGoal | undefined): boolean {
  if (goal === undefined) return rootEnd(root) !== 'running';
  return !isLookedAt(goal, root.object.kind) || rootGoalState(goal, root) === 'met';
}
