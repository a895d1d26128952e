import { type Command, Option } from 'commander';
import { commandsBelow } from './called-command.ts';

/** The flags that every command takes, before or after its name. */
export interface GlobalFlags {
  readonly stateDir?: string;
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet?: true;
  readonly verbose?: true;
  /** False with --no-pager. */
  readonly pager: boolean;
}

export function withGlobalFlags(program: Command): Command {
  return program
    .option(
      '--state-dir <folder>',
      'the folder for Pods, logs and records (default: $PODRUN_STATE_DIR, else the XDG state folder)',
    )
    .addOption(new Option('--color <when>', 'use colours').choices(['auto', 'always', 'never']).default('auto'))
    .option('-q, --quiet', 'print errors and requested output only')
    .option('-v, --verbose', 'also print decisions and their reasons to standard error')
    .option('--no-pager', 'do not page long output')
    .hook('preSubcommand', (_program, called) => [called, ...commandsBelow(called)].forEach(takeLetters));
}

/**
 * Tells the command about the one-letter flags of the program: commander splits `logs -fq` only when the command knows
 * both letters.
 */
function takeLetters(called: Command): void {
  for (const flags of ['-q, --quiet', '-v, --verbose']) {
    const option = new Option(flags).hideHelp();
    if (!called.options.some(({ short }) => short === option.short)) called.addOption(option);
  }
}

/** The global flags, before or after the name of the called command: the command itself has parsed some of them. */
export function globalFlags(program: Command, called: Command): GlobalFlags {
  const flags = program.opts<GlobalFlags>();
  const { quiet, verbose } = called.opts<Pick<GlobalFlags, 'quiet' | 'verbose'>>();
  return { ...flags, ...(quiet && { quiet }), ...(verbose && { verbose }) };
}
