import type { ExecBehaviour, ProgramBehaviour } from '../../../src/simulation/read-program.ts';
import type { Command, Program } from './scenario.ts';

/** Longer than any scenario. */
const NEVER_MS = 1e12;

/** The program of a scenario, for the simulated machine. */
export function behaviourOf(program: Program): ProgramBehaviour {
  const { onStop, failsToStart, exitsAfterMs, oomKilled, ...rest } = program;
  return {
    ...rest,
    ...(failsToStart ? { failToStart: 'exec: "app": executable file not found in $PATH' } : {}),
    ...(exitsAfterMs === undefined ? {} : { exitAfterMs: exitsAfterMs }),
    ...(oomKilled ? { oomKilled } : {}),
    ...(onStop === undefined ? {} : { onSignal: () => reactionOf(onStop) }),
  };
}

function reactionOf(onStop: NonNullable<Program['onStop']>): 'ignore' | { exitAfterMs: number; exitCode: number } {
  if (onStop === 'ignores') return 'ignore';
  return { exitAfterMs: onStop.exitsAfterMs, exitCode: onStop.exitCode };
}

/** The command of a hook or probe, for the simulated machine. */
export function execBehaviourOf(command: Command): ExecBehaviour {
  if (command === 'hangs') return { afterMs: NEVER_MS };
  if (command === 'fails') return { failToStart: 'exec format error' };
  return command;
}
