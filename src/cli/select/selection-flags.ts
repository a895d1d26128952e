import { type Command, Option } from 'commander';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { didYouMean } from '../../api/similar.ts';

/** The flags by which commands are told which objects are meant. */
export interface SelectionFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** `--all`, where the command has it. */
  readonly all?: boolean;
  readonly stateDir: string | undefined;
}

/** For options that may be given several times. */
export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Adds the flags; the argument list of the command comes before them. */
export function withSelectionFlags(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with all that is below them', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .option('-A, --all-namespaces', 'the objects of all namespaces', false)
    .option('-l, --selector <query>', "only objects with these labels, for example app=web,tier!=db or 'app in (a,b)'")
    .option('--field-selector <query>', 'only objects with these fields, for example status.phase=Running');
}

/** The option `-o`, which takes one of these formats. */
export function outputOption<T extends string>(formats: readonly T[]): Option {
  const description = `output format: ${formats.join(', ').replace(/, (\w+)$/, ' or $1')}`;
  const option = new Option('-o, --output <format>', description).argParser((value): T => {
    const format = formats.find((one) => one === value);
    if (format !== undefined) return format;
    const allowed = `allowed formats are: ${formats.toSorted().join(',')}`;
    throw new PodrunError(
      `error: unable to match a printer suitable for the output format ${JSON.stringify(value)}, ${allowed}`,
      { exitCode: EXIT.usage, hint: didYouMean(value, formats) },
    );
  });
  // For completion; the parser stays the one from above.
  option.argChoices = [...formats];
  return option;
}
