import { machineClock } from '../../clock.ts';
import { startCommand } from '../../runtime/index.ts';
import type { Cli } from './cli.ts';
import { listenForSignals } from './signals.ts';

interface EndedCommand {
  /** False: it could not be started. The reason is on standard error. */
  readonly hasRun: boolean;
  readonly exitCode: number;
}

/**
 * Runs COMMAND, the words behind `--`, to its end, and passes signals on to it. `variables` are added to podrun's
 * environment.
 */
export async function runBehindDashes(
  cli: Cli,
  argv: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>>,
): Promise<EndedCommand> {
  const env = { ...cli.env, ...variables };
  const request = { argv, env, cwd: cli.cwd, interactive: cli.stdin.isTTY === true };
  const outcome = await startCommand(request, machineClock(cli.clock));
  if (!outcome.ok) {
    cli.stderr.write(`${outcome.error}\n`);
    return { hasRun: false, exitCode: outcome.exitCode };
  }
  const signals = listenForSignals(cli, (signal) => outcome.command.forward(signal));
  const exitCode = await outcome.command.exitCode;
  await outcome.command.swept;
  signals.close();
  return { hasRun: true, exitCode };
}
