import type { GoalCommand } from '../../agent/apply-run.ts';
import { startCommand, type RunningCommand } from '../../runtime/command.ts';
import type { ApplyView } from '../view/apply-view.ts';

/**
 * The user's COMMAND: run in the user's terminal, environment and folder.
 * @param onStart called when the Pods are as they should be, before it runs
 */
export function goalCommand(argv: readonly [string, ...string[]], view: ApplyView, onStart: () => void): GoalCommand {
  let running: RunningCommand | undefined;
  let isStopped = false;
  return {
    run: async () => {
      onStart();
      view.commandStarts(argv);
      const interactive = process.stdin.isTTY;
      const outcome = await startCommand({ argv, env: process.env, cwd: process.cwd(), interactive });
      if (!outcome.ok) {
        view.trouble(outcome.error);
        return outcome.exitCode;
      }
      running = outcome.command;
      if (isStopped) running.forward('SIGTERM');
      return running.exitCode;
    },
    stop: () => {
      isStopped = true;
      running?.forward('SIGTERM');
    },
  };
}
