import { startInForeground } from '../../runtime/index.ts';
import type { BlockTarget } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';

/** The number of lines that the log of a choice begins with. */
const TAIL_LINES = '20';

/** The arguments that name the Pod, or its container. */
function named({ pod: { metadata }, container }: BlockTarget): readonly string[] {
  const own = container === undefined ? [] : ['-c', container];
  return [metadata.name, '-n', metadata.namespace, ...own];
}

/** The commands of podrun that the keys of the live view run. */
export const OWN_COMMANDS = {
  log: (target: BlockTarget): readonly string[] => ['logs', ...named(target), '--tail', TAIL_LINES],
  shell: (target: BlockTarget): readonly string[] => ['exec', '-it', ...named(target), '--', 'sh'],
} as const;

/**
 * Runs a command of podrun in the state folder of this one. Resolves with its exit code.
 * @param print takes the output. Undefined: the command has the terminal
 */
export async function runOwnCommand(
  cli: Cli,
  args: readonly string[],
  print: ((output: Buffer) => void) | undefined,
): Promise<number> {
  const { stateDir } = cli.flags;
  const [program, ...before] = cli.podrun;
  const folder = stateDir === undefined ? [] : ['--state-dir', stateDir];
  const outcome = await startInForeground({
    argv: [program, ...before, ...folder, ...args],
    env: cli.env,
    cwd: cli.cwd,
    interactive: true,
    output: print === undefined ? {} : { stdout: taker(print), stderr: taker(print) },
  });
  if (!outcome.ok) {
    print?.(Buffer.from(`${outcome.error}\n`));
    return outcome.exitCode;
  }
  const exitCode = await outcome.command.exitCode;
  await outcome.command.outputTaken;
  return exitCode;
}

function taker(print: (output: Buffer) => void): (chunk: Buffer) => undefined {
  return (chunk) => {
    print(chunk);
    return undefined;
  };
}
