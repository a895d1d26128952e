import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { type PodGoal, goalState, goalText } from '../../lifecycle/requests/goal.ts';
import { likelyGoal } from '../../print/waits/goal-phrase.ts';
import { joinPhrases, podPhrase } from '../../print/waits/wait-phrase.ts';
import { RecordWatches } from '../waiting/record-watches.ts';
import { WaitProgress } from '../waiting/wait-progress.ts';
import type { ApplySession } from './session.ts';

/** The time before the first progress line: short waits are not worth a line. */
const QUIET_MS = 1000;

/**
 * Shows which Pods `apply` waits for, until closed. Shows nothing where the view has a status block. Warns at once
 * about a goal that looks like a typing mistake.
 * @param isOwnRun true when this process runs Pods: then a terminal has a status block
 */
export function showProgress(
  { cli, plan, flags, store, view }: ApplySession,
  pods: () => readonly StoredPod[],
  isOwnRun: boolean,
): { close(): void } {
  const { goal, timeoutMs } = plan;
  const slip = slipOf(goal, pods());
  if (slip !== undefined) view.trouble(slip);
  const isWaiting = goal !== undefined || timeoutMs !== undefined;
  if (!isWaiting || flags.output === 'json' || (isOwnRun && cli.stderr.isTerminal)) return { close: () => undefined };
  const waited = new RecordWatches(store);
  const progress = new WaitProgress({
    cli,
    quietMs: QUIET_MS,
    phrase: () => {
      const late = pods().filter((pod) => !isThere(pod, goal));
      if (late.length === 0 && goal !== undefined) {
        const text = `waiting for ${goalText(goal)} to hold for ${flags.settle} (--settle)`;
        return { text, key: text };
      }
      return joinPhrases(late.map((pod) => podPhrase(waited.of(pod), cli.clock.now().wallMs, goal)));
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
function slipOf(goal: PodGoal | undefined, pods: readonly StoredPod[]): string | undefined {
  if (goal?.type !== 'condition') return undefined;
  const { condition } = goal;
  const [first, ...others] = pods.map((pod) => likelyGoal(pod, condition));
  if (first === undefined || others.includes(undefined)) return undefined;
  return `--until ${goalText(goal)}: no Pod has a condition ${condition}, did you mean ${first}?`;
}

/** True when the Pod meets the goal, or has ended where there is no goal. */
export function isThere(pod: StoredPod, goal: PodGoal | undefined): boolean {
  return goal === undefined ? isTerminalPhase(pod.status.phase) : goalState(goal, pod) === 'met';
}
