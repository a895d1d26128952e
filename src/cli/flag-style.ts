import type { Command, Option } from 'commander';

/**
 * Takes the ways in which kubectl lets flags be written that commander does not know: `--wait=false`, `-o=yaml`.
 * Everything else stays as it is.
 */
export function normalizeFlags(argv: readonly string[], program: Command): string[] {
  const called = program.commands.find((command) => argv.includes(command.name()));
  const options = [...program.options, ...(called?.options ?? [])];
  return argv.flatMap((word) => {
    const [, short, text] = /^(-[A-Za-z])=(.*)$/s.exec(word) ?? [];
    if (short !== undefined && text !== undefined) return [short, text];
    const [, name, value] = /^--([a-z][a-z-]*)=(true|false)$/.exec(word) ?? [];
    if (name === undefined) return [word];
    return switchFor(options, name, value === 'true') ?? [word];
  });
}

/** The form that commander has for a switch that is on or off; undefined when the option takes a value. */
function switchFor(options: readonly Option[], name: string, isOn: boolean): string[] | undefined {
  const [on, off] = [`--${name}`, `--no-${name}`].map((long) => options.find((option) => option.long === long));
  if (on !== undefined && (on.required || on.optional)) return undefined;
  if (on === undefined && off === undefined) return undefined;
  const wanted = isOn ? on : off;
  return wanted?.long === undefined || wanted.long === null ? [] : [wanted.long];
}
