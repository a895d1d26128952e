import type { Command, Option } from 'commander';
import { findCalled } from '../base/called-command.ts';

/**
 * Rewrites flags in kubectl's styles that commander does not know: `--wait=false`, `-o=yaml`, and flags of a command
 * before its name (`-n test get pods`). An optional value counts only behind `=`, as in pflag (NoOptDefVal): the word
 * behind `--dry-run` is an argument. All other words stay as they are.
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
