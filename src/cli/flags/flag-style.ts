import type { Command, Option } from 'commander';

/**
 * Rewrites flags in kubectl's styles that commander does not know: `--wait=false`, `-o=yaml`, and flags of a command
 * before its name (`-n test get pods`). An optional value counts only behind `=`, as in pflag (NoOptDefVal): the word
 * behind `--dry-run` is an argument. All other words stay as they are.
 */
export function normalizeFlags(argv: readonly string[], program: Command): string[] {
  const at = commandIndex(argv, program);
  const called = program.commands.find((command) => command.name() === argv[at]);
  const words = called === undefined ? argv : [called.name(), ...argv.slice(0, at), ...argv.slice(at + 1)];
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

/** The index of the first word that is neither a flag nor the value of a flag. */
function commandIndex(argv: readonly string[], program: Command): number {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  const takesNext = (flag: string): boolean =>
    options.some(({ long, short, required }) => required && (long === flag || short === flag));
  let index = 0;
  while (argv[index]?.startsWith('-') === true) index += takesNext(argv[index] ?? '') ? 2 : 1;
  return index;
}

/** The words that commander understands for a switch that is on or off. Undefined when the option takes a value. */
function switchFor(options: readonly Option[], name: string, isOn: boolean): string[] | undefined {
  const [on, off] = [`--${name}`, `--no-${name}`].map((long) => options.find((option) => option.long === long));
  if (on !== undefined && (on.required || on.optional)) return undefined;
  if (on === undefined && off === undefined) return undefined;
  const wanted = isOn ? on : off;
  return wanted?.long === undefined || wanted.long === null ? [] : [wanted.long];
}
