import type { Command } from 'commander';

/** A command line with the name of its command in front. */
interface CalledCommand {
  /** Undefined: the words name no command. */
  readonly command: Command | undefined;
  /** The name, which may be several words (`rollout status`), then all other words in their order. */
  readonly words: readonly string[];
}

/** Finds the command that a command line names. Flags may stand before the name: `-n test get pods`. */
export function findCalled(program: Command, argv: readonly string[]): CalledCommand {
  const names: string[] = [];
  let command = program;
  let rest = argv;
  for (;;) {
    const at = firstOperand(rest, [program, ...commandsBelow(command)]);
    const next = command.commands.find((inner) => inner.name() === rest[at]);
    if (next === undefined) break;
    names.push(next.name());
    rest = rest.filter((_, index) => index !== at);
    command = next;
  }
  return { command: command === program ? undefined : command, words: [...names, ...rest] };
}

/** The index of the first word that is neither a flag nor the value of a flag. */
function firstOperand(argv: readonly string[], commands: readonly Command[]): number {
  const options = commands.flatMap((command) => command.options);
  const takesNext = (flag: string): boolean =>
    options.some(({ long, short, required }) => required && (long === flag || short === flag));
  let index = 0;
  while (argv[index]?.startsWith('-') === true) index += takesNext(argv[index] ?? '') ? 2 : 1;
  return index;
}

/** The commands of a command, and theirs. */
export function commandsBelow(command: Command): Command[] {
  return command.commands.flatMap((inner) => [inner, ...commandsBelow(inner)]);
}

/** The name of a command without the program: `rollout status`. */
export function nameOfCommand(command: Command): string {
  const { parent } = command;
  if (parent === null || parent.parent === null) return command.name();
  return `${nameOfCommand(parent)} ${command.name()}`;
}

/**
 * Splits the words at `--`. The words behind it are the command line of another program: podrun does not parse them.
 */
export function splitCommand(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly command: readonly string[] | undefined;
} {
  const dashes = argv.indexOf('--');
  return dashes < 0
    ? { own: argv, command: undefined }
    : { own: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}
