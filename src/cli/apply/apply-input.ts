import { EXIT, PodrunError } from '../../api/errors.ts';
import { parseDuration } from '../../api/duration.ts';
import type { BackOffLimits } from '../../lifecycle/plan/back-off.ts';
import { type PodGoal, includesReady, parseGoal } from '../../lifecycle/requests/goal.ts';
import { type GoalRules, SETTLE_MS } from '../../lifecycle/requests/goal-watch.ts';
import { settleFlag } from '../flags/duration-flag.ts';
import type { ApplyFlags } from './apply-flags.ts';

/** The parsed command line of `apply`. */
export interface ApplyPlan {
  readonly goal: PodGoal | undefined;
  readonly rules: GoalRules;
  readonly timeoutMs: number | undefined;
  readonly crashLoop: BackOffLimits;
  readonly command: readonly [string, ...string[]] | undefined;
}

const READY: PodGoal = { type: 'condition', condition: 'Ready', status: 'True' };

/** @throws {PodrunError} (usage) when a flag makes no sense */
export function planApply(flags: ApplyFlags, command: readonly string[] | undefined): ApplyPlan {
  if (flags.filename.length === 0) {
    throw new PodrunError('error: must specify one of -f and FILE', {
      exitCode: EXIT.usage,
      hint: "See 'podrun apply --help' for usage.",
    });
  }
  const isForRuns = flags.template === undefined && [undefined, 'text', 'json'].includes(flags.output);
  if (flags.dryRun === 'none' && !isForRuns) {
    const format = flags.output === undefined ? '--template' : `-o ${flags.output}`;
    throw new PodrunError(`error: ${format} needs --dry-run`, {
      exitCode: EXIT.usage,
      hint: 'A run prints text for people, or with -o json a stream of watch events.',
    });
  }
  if (flags.annotations === 'github' && flags.output !== undefined && flags.output !== 'text') {
    throw new PodrunError(`error: --annotations github and -o ${flags.output} cannot be used together`, {
      exitCode: EXIT.usage,
      hint: 'Annotations stand between the lines for people.',
    });
  }
  if (flags.strict && flags.bestEffort) {
    throw new PodrunError('error: --strict and --best-effort cannot be used together', {
      exitCode: EXIT.usage,
      hint: 'One wants everything that the manifests ask for, the other takes what can be had.',
    });
  }
  if (flags.wait && !flags.detach) {
    throw new PodrunError('error: --wait is about Pods in the background', {
      exitCode: EXIT.usage,
      hint: 'Use it with --detach. In the foreground, --until ready ends the Pods when they are Ready.',
    });
  }
  if (flags.report !== undefined && (flags.detach || flags.dryRun !== 'none')) {
    throw new PodrunError(`error: --report cannot be used with ${flags.detach ? '--detach' : '--dry-run'}`, {
      exitCode: EXIT.usage,
      hint: 'It tells of Pods that ran in the foreground. For others: podrun timeline POD -o html.',
    });
  }
  if (flags.expect !== undefined && (flags.detach || flags.dryRun !== 'none')) {
    throw new PodrunError(`error: --expect cannot be used with ${flags.detach ? '--detach' : '--dry-run'}`, {
      exitCode: EXIT.usage,
      hint: 'It is about Pods that run in the foreground. For others: podrun expect FILE.',
    });
  }
  const crashLoop = {
    initialMs: positive('--backoff-initial', flags.backoffInitial),
    maxMs: positive('--backoff-max', flags.backoffMax),
  };
  const [program, ...args] = command ?? [];
  if (command !== undefined && program === undefined) {
    throw new PodrunError('error: there is no command after --', { exitCode: EXIT.usage });
  }
  // A COMMAND and a wait for background Pods need Pods that are Ready: some of these Pods may never end.
  const isForReady = program !== undefined || flags.wait || (flags.detach && flags.timeout !== undefined);
  const asked = flags.until === undefined ? undefined : readGoal(flags.until);
  const goal = asked ?? (isForReady ? READY : undefined);
  return {
    goal,
    rules: readRules(flags, goal),
    timeoutMs: flags.timeout === undefined ? undefined : positive('--timeout', flags.timeout),
    crashLoop,
    command: program === undefined ? undefined : [program, ...args],
  };
}

/** @throws {PodrunError} (usage) for rules of a goal without such a goal */
function readRules({ settle, allowRestarts }: ApplyFlags, goal: PodGoal | undefined): GoalRules {
  const settleMs = settleFlag(settle);
  const rule = allowRestarts ? '--allow-restarts' : settleMs === SETTLE_MS ? undefined : '--settle';
  if (rule === undefined || (goal !== undefined && includesReady(goal))) return { settleMs, allowRestarts };
  throw new PodrunError(`error: ${rule} is about Pods that are to be Ready`, {
    exitCode: EXIT.usage,
    hint: 'Use it with --until ready, with --detach --wait, or with a COMMAND.',
  });
}

function readGoal(text: string): PodGoal {
  const goal = parseGoal(text);
  if (goal !== undefined) return goal;
  throw new PodrunError(`error: invalid --until ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
    hint: 'It takes ready, succeeded, failed, or the type of a condition with or without =True, =False or =Unknown.',
  });
}

function positive(flag: string, text: string): number {
  let ms: number;
  try {
    ms = parseDuration(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PodrunError(`error: invalid ${flag} ${JSON.stringify(text)}: ${why}`, {
      exitCode: EXIT.usage,
      hint: 'Durations have a unit, for example 500ms, 30s or 2m30s.',
    });
  }
  if (ms > 0) return ms;
  throw new PodrunError(`error: ${flag} must be longer than 0`, { exitCode: EXIT.usage });
}
