import { CommanderError, type Command, type Option } from 'commander';
import { didYouMean, EXIT, mostSimilar } from '../../api/index.ts';
import { findCalled, nameOfCommand } from '../base/called-command.ts';
import { insteadOf, insteadOfFlag } from './kubectl-commands.ts';
import type { Cli } from '../base/cli.ts';

/**
 * Prints an error of the command line in kubectl's words, with suggestions, and returns the exit code. Undefined when
 * the error is about something else. commander also throws for help and version: exit code 0.
 */
export function usageError(cli: Cli, error: unknown, program: Command): number | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === 'commander.help') return EXIT.usage;
  const { argv } = cli.line;
  const called = findCalled(program, argv).command;
  const options = [...(called?.options ?? []), ...program.options];
  const command = called === undefined ? '' : nameOfCommand(called);
  const lines = complaint(error.message, called ?? program, { argv, command, options });
  const whose = `${program.name()} ${command}`.trimEnd();
  cli.stderr.write(`${lines}\nSee '${whose} --help' for usage.\n`);
  return EXIT.usage;
}

/** The command on the command line, `''` for none, and its flags. */
interface Called {
  /** The words of the command line. */
  readonly argv: readonly string[];
  readonly command: string;
  readonly options: readonly Option[];
}

/** The error in kubectl's words, and below it similar names. Source: spf13/pflag errors.go, spf13/cobra. */
function complaint(message: string, group: Command, called: Called): string {
  const [, flag] = /^error: unknown option '([^=]*)/.exec(message.replace(/'$/, '')) ?? [];
  if (flag !== undefined) return unknownFlag(flag, called);
  const [, command] = /^error: unknown command '(.*)'/s.exec(message) ?? [];
  if (command !== undefined) return unknownCommand(command, group);
  const [, flags] = /^error: option '(.*)' argument missing/.exec(message) ?? [];
  if (flags !== undefined) return `error: flag needs an argument: ${lastFlag(called.argv, flags)}`;
  const [, of, value] = /^error: option '([^']*)' argument '(.*)' is invalid/s.exec(message) ?? [];
  const choices = called.options.find((option) => option.flags === of)?.argChoices;
  const hint = value === undefined || choices === undefined ? undefined : didYouMean(value, choices);
  return hint === undefined ? message : `${message}\n${hint}`;
}

function unknownFlag(flag: string, { command, options }: Called): string {
  const isLong = flag.startsWith('--');
  const error = isLong
    ? `error: unknown flag: ${flag}`
    : `error: unknown shorthand flag: '${flag.slice(1, 2)}' in ${flag}`;
  const suggestion = insteadOfFlag(command, isLong ? flag : flag.slice(0, 2));
  if (suggestion !== undefined) return `${error}\n${suggestion}`;
  if (!isLong) return error;
  const known = options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  const hint = mostSimilar(flag, known);
  return hint === undefined ? error : `${error}\nDid you mean ${hint}?`;
}

/** @param group the program, or a command with commands of its own */
function unknownCommand(command: string, group: Command): string {
  const whose = group.parent === null ? group.name() : `podrun ${nameOfCommand(group)}`;
  const problem = `error: unknown command "${command}" for "${whose}"`;
  const suggestion = group.parent === null ? insteadOf(command) : undefined;
  if (suggestion !== undefined) return `${problem}\n${suggestion}`;
  const commands = group.createHelp().visibleCommands(group);
  const meant = mostSimilar(
    command,
    commands.map((subcommand) => subcommand.name()),
  );
  const hint = meant === undefined ? '' : `\n\nDid you mean this?\n\t${meant}\n`;
  return `${problem}${hint}`;
}

/** The last spelling of a flag: `--output` of `-o, --output <format>`. */
function lastFlag(argv: readonly string[], flags: string): string {
  const long = /--[a-z0-9-]+/.exec(flags)?.[0];
  const short = /^-\w/.exec(flags)?.[0];
  const written = argv.findLast((word) => word === long || (short !== undefined && word.endsWith(short[1] ?? '')));
  return short !== undefined && written !== long ? `'${short.slice(1)}' in ${short}` : (long ?? flags);
}
