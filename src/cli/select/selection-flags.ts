import { type Command, Option } from 'commander';
import { didYouMean, usage } from '../../api/index.ts';

/** The flags that select objects. */
export interface SelectionFlags {
  readonly filename: readonly string[];
  /** The folder of a kustomization. */
  readonly kustomize?: string | undefined;
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** `--all`, in commands that have it. */
  readonly all?: boolean;
}

/** The flags that select objects of one namespace. */
export type TargetFlags = Omit<SelectionFlags, 'allNamespaces' | 'fieldSelector'>;

/** True when manifests select the objects. */
export function namesFiles({ filename, kustomize }: Pick<SelectionFlags, 'filename' | 'kustomize'>): boolean {
  return filename.length > 0 || kustomize !== undefined;
}

/** Collects the values of a repeated option. */
export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Adds the flags to a command that has its arguments already. */
export function withSelectionFlags(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-k, --kustomize <folder>', 'the objects of this kustomization, made by kubectl or kustomize')
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .option('-A, --all-namespaces', 'the objects of all namespaces', false)
    .option('-l, --selector <query>', "only objects with these labels, for example app=web,tier!=db or 'app in (a,b)'")
    .option('--field-selector <query>', 'only objects with these fields, for example status.phase=Running');
}

/** Adds the flags that select objects of one namespace, to a command that has its arguments already. */
export function withTargetFlags(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-k, --kustomize <folder>', 'the objects of this kustomization, made by kubectl or kustomize')
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .option('-l, --selector <query>', 'only objects with these labels, for example app=web');
}

/** Makes the option `-o` with these formats. */
export function outputOption<T extends string>(formats: readonly T[]): Option {
  const description = `output format: ${formats.join(', ').replace(/, (\w+)$/, ' or $1')}`;
  const option = new Option('-o, --output <format>', description).argParser((value): T => {
    const format = formats.find((known) => known === value);
    if (format !== undefined) return format;
    const allowed = `allowed formats are: ${formats.toSorted().join(',')}`;
    throw usage(
      `unable to match a printer suitable for the output format ${JSON.stringify(value)}, ${allowed}`,
      didYouMean(value, formats),
    );
  });
  // Shell completion reads the choices. The parser from above stays.
  option.argChoices = [...formats];
  return option;
}
