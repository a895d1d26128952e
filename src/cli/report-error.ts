import { CommanderError, type Command } from 'commander';
import { EXIT, PodrunError } from '../api/errors.ts';

/**
 * Says what is wrong with the command line, in kubectl's words, and answers the exit code. Undefined: the error is
 * about something else. Help and version come as errors too; they are none.
 */
export function usageError(error: unknown, program: Command): number | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === 'commander.help') return EXIT.usage;
  const message = error.message
    .replace(/^error: unknown option '(.*)'/, 'error: unknown flag: $1')
    .replace(/^error: unknown command '(.*)'/, 'error: unknown command "$1" for "podrun"')
    .replace(/^error: option '(.*)' argument missing/, 'error: flag needs an argument: $1');
  process.stderr.write(`${message}\nSee '${calledCommand(program)} --help' for usage.\n`);
  return EXIT.usage;
}

function calledCommand(program: Command): string {
  const called = program.commands.find((command) => program.args[0] === command.name());
  return called === undefined ? program.name() : `${program.name()} ${called.name()}`;
}

/** Prints an error the way people should see it, and answers the exit code. A defect of podrun keeps its stack. */
export function reportError(error: unknown): number {
  if (error instanceof PodrunError) {
    const isPrefixed = /^(error|Error from server|The \w+ |the server doesn't )/.test(error.message);
    process.stderr.write(`${isPrefixed ? '' : 'error: '}${error.message}\n`);
    if (error.hint !== undefined) process.stderr.write(`${error.hint}\n`);
    return error.exitCode;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`podrun has a defect, please report it:\n${detail}\n`);
  return EXIT.failed;
}

/** Prints several errors as kubectl does, a line each and without a word in front, and answers the exit code. */
export function reportErrors(errors: readonly PodrunError[]): number {
  const [only] = errors;
  if (only === undefined) return EXIT.ok;
  if (errors.length === 1) return reportError(only);
  for (const { message } of errors) process.stderr.write(`${message.replace(/^error: /, '')}\n`);
  return Math.max(...errors.map(({ exitCode }) => exitCode));
}
