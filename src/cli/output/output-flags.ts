import { type Command, Option } from 'commander';
import { didYouMean, usage } from '../../api/index.ts';

/** The flags that choose the format of objects. */
export interface OutputFlags {
  /** The value of `-o`: `yaml`, `jsonpath={.kind}`. Undefined: the command's own text. */
  readonly output: string | undefined;
  readonly template: string | undefined;
  readonly allowMissingTemplateKeys: boolean;
  readonly showManagedFields: boolean;
}

/** Formats for whole objects, in every command with `-o`. */
const OBJECT_FORMATS = ['json', 'yaml', 'name'];

/** Formats with a template, behind `=` or from `--template`. */
const TEMPLATE_FORMATS = [
  'jsonpath',
  'jsonpath-as-json',
  'jsonpath-file',
  'go-template',
  'go-template-file',
  'template',
  'templatefile',
];

/** Formats for lists only. */
export const LIST_FORMATS: readonly string[] = ['wide', 'custom-columns', 'custom-columns-file'];

/** Adds `-o` and the flags about templates. */
export function withOutputFlags(command: Command, more: readonly string[] = []): Command {
  const known = [...OBJECT_FORMATS, ...more, ...TEMPLATE_FORMATS];
  const option = new Option('-o, --output <format>', 'output format; formats with a template: jsonpath=…, and so on');
  option.argParser((value) => checkedFormat(value, known));
  option.argChoices = known;
  return command
    .addOption(option)
    .option('--template <template>', 'the template, or its file, for -o go-template (default) or jsonpath')
    .option('--allow-missing-template-keys', 'ignore missing fields in templates', true)
    .option('--no-allow-missing-template-keys', 'fail for missing fields in templates')
    .option('--show-managed-fields', 'keep metadata.managedFields in json and yaml', false);
}

/** @throws {PodrunError} (usage) in kubectl's words */
function checkedFormat(value: string, known: readonly string[]): string | undefined {
  const name = value.replace(/=.*/s, '');
  const isTemplate = TEMPLATE_FORMATS.includes(name) || name.startsWith('custom-columns');
  if (value === '') return undefined;
  if (known.includes(name) && (isTemplate || name === value)) return value;
  // As in kubectl, these formats may be written in capitals.
  if (OBJECT_FORMATS.includes(value.toLowerCase())) return value.toLowerCase();
  const allowed = known.toSorted().join(',');
  const problem = `unable to match a printer suitable for the output format ${JSON.stringify(value)}`;
  throw usage(`${problem}, allowed formats are: ${allowed}`, didYouMean(name, known));
}
