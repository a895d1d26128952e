import type { Command, Option } from 'commander';

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

/**
 * The word that names the command, before any command is known. Undefined when a flag of a command stands before it:
 * the word behind that flag may be its value.
 */
export function commandWord(program: Command, argv: readonly string[]): string | undefined {
  const at = firstOperand(argv, [program]);
  const flags = argv.slice(0, at).filter((word) => word.startsWith('-'));
  const isOwn = (flag = ''): boolean => program.options.some(({ long, short }) => flag === long || flag === short);
  return flags.every((flag) => isOwn(flag.split('=')[0])) ? argv[at] : undefined;
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

/**
 * Rewrites flags in kubectl's styles that commander does not know: `--wait=false`, `-o=yaml`, and flags of a command
 * before its name (`-n test get pods`). An optional value counts only behind `=`, as in pflag (NoOptDefVal): the word
 * behind `--dry-run` is an argument. All other words stay unchanged.
 */
export function normalizeFlags(argv: readonly string[], program: Command): string[] {
  const { command: called, words } = findCalled(program, argv);
  const options = [...program.options, ...(called?.options ?? [])];
  return words.flatMap((word) => {
    const [, level] = /^(?:-v|--v)=(\d+)$/.exec(word) ?? [];
    // kubectl has levels of verbosity, podrun only has --verbose.
    if (level !== undefined) return Number(level) > 0 ? ['--verbose'] : [];
    const [, short, text] = /^(-[A-Za-z])=(.*)$/s.exec(word) ?? [];
    if (short !== undefined && text !== undefined) return [short, text];
    const preset = options.find(({ long, optional }) => optional && long === word)?.presetArg;
    if (typeof preset === 'string') return [`${word}=${preset}`];
    const [, name, value] = /^--([a-z][a-z-]*)=(true|false)$/.exec(word) ?? [];
    if (name === undefined) return [word];
    return switchFor(options, name, value === 'true') ?? [word];
  });
}

/** The words that commander understands for a switch that is on or off. Undefined when the option takes a value. */
function switchFor(options: readonly Option[], name: string, isOn: boolean): string[] | undefined {
  const [on, off] = [`--${name}`, `--no-${name}`].map((long) => options.find((option) => option.long === long));
  if (on !== undefined && (on.required || on.optional)) return undefined;
  if (on === undefined && off === undefined) return undefined;
  const wanted = isOn ? on : off;
  return wanted?.long === undefined || wanted.long === null ? [] : [wanted.long];
}
