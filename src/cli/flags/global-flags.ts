import { type Command, Option } from 'commander';
import { choosePreferences, detail, type Preferences } from '../preferences.ts';
import { version } from '../../version.ts';

/** The flags that every command takes, before or after its name. */
export interface GlobalFlags {
  readonly stateDir?: string;
  readonly color: Preferences['color'];
  readonly quiet?: true;
  readonly verbose?: true;
  readonly pager: boolean;
}

export function withGlobalFlags(program: Command): Command {
  return program
    .option(
      '--state-dir <folder>',
      'where podrun keeps what it knows (default: $PODRUN_STATE_DIR, else the XDG state folder)',
    )
    .addOption(
      new Option('--color <when>', 'colours in texts for people').choices(['auto', 'always', 'never']).default('auto'),
    )
    .option('-q, --quiet', 'say nothing but errors and what was asked for')
    .option('-v, --verbose', 'tell also what is decided, and why, on standard error')
    .option('--no-pager', 'do not show long texts page by page')
    .hook('preSubcommand', (_program, called) => takeLetters(called))
    .hook('preAction', (_program, called) => readGlobalFlags(program.opts<GlobalFlags>(), called));
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

/** @param own the values of the same flags that the command itself has parsed */
export function preferencesOf(
  { color, quiet, verbose, pager }: GlobalFlags,
  own: { readonly quiet?: boolean; readonly verbose?: boolean } = {},
): Preferences {
  return {
    color,
    isQuiet: quiet === true || own.quiet === true,
    isVerbose: verbose === true || own.verbose === true,
    pages: pager,
  };
}

function readGlobalFlags(flags: GlobalFlags, called: Command): void {
  const chosen = preferencesOf(flags, called.opts());
  called.setOptionValue('stateDir', flags.stateDir);
  // Commands may read `quiet` as a flag of their own.
  if (chosen.isQuiet) called.setOptionValue('quiet', true);
  choosePreferences(chosen);
  detail(`${called.name()}, of podrun ${version} on Node ${process.version} (process ${process.pid})`);
}
