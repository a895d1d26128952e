import { Command } from 'commander';
import { EXIT } from '../api/index.ts';
import { beforeCommand } from './before-command.ts';
import { findCalled, nameOfCommand, normalizeFlags, splitCommand } from './base/called-command.ts';
import { addCommands } from './commands.ts';
import { Cli, type RunVerb } from './base/cli.ts';
import { globalFlags, withGlobalFlags } from './base/global-flags.ts';
import { asHelpFlag, checkHelpTopic, withHelp } from './help/help.ts';
import { Output } from './base/output.ts';
import { reportError } from './base/report-error.ts';
import type { Process } from './base/process.ts';
import { version } from '../version.ts';

/** The command that a shell calls for completions; see complete/answer-completion.ts. It is hidden from help. */
const COMPLETE_COMMAND = '__complete';

/** Runs podrun with the words of a command line. Returns the exit code. */
export async function main(argv: readonly string[], host: Process): Promise<number> {
  const { own, command } = splitCommand(argv);
  const line = { argv, command };
  let exitCode: number = EXIT.ok;
  let help = '';
  const program = withGlobalFlags(withHelp(new Command('podrun'), () => new Output(host.stdout).columns))
    .description('Runs Kubernetes manifests as plain child processes, with the behaviour of a real cluster.')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeOut: (text) => void (help += text) });
  const cliOf = (called: Command): Cli => new Cli(host, line, globalFlags(program, called));
  let cli = cliOf(program);
  const run: RunVerb = async (work) => {
    exitCode = await work(cli);
  };
  program.hook('preAction', (_program, called) => {
    cli = cliOf(called);
    const name = nameOfCommand(called);
    cli.detail(`${name}, of podrun ${version} on Node ${process.version} (process ${process.pid})`);
    // Saved objects (`--from`) need no state folder.
    const { from = [] } = called.opts<{ from?: readonly string[] }>();
    return from.length > 0 ? undefined : beforeCommand(cli, name.replace(/ .*/, ''));
  });
  await addCommands(program, own, run);
  // A command may have a flag of the name for itself: commander would take it for the program's.
  if (findCalled(program, own).command?.options.some(({ long }) => long === '--version') !== true)
    program.version(version, '--version', 'print the version');
  if (argv[0] === COMPLETE_COMMAND) {
    const { answerCompletion } = await import('./complete/answer-completion.ts');
    return answerCompletion(cli, program, argv.slice(1));
  }
  try {
    const words = asHelpFlag(normalizeFlags(own, program));
    checkHelpTopic(words, program);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (help !== '') return showHelp(cliOf(program), help);
    const { usageError } = await import('./help/usage-error.ts');
    return usageError(cli, error, program) ?? reportError(cli.stderr, error);
  }
}

/** Prints the text of commander: help, or the version. */
async function showHelp(cli: Cli, text: string): Promise<number> {
  const { showPaged } = await import('./output/paged-output.ts');
  await showPaged(cli, text);
  return EXIT.ok;
}
