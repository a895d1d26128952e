import { readUpTo } from '../../store/index.ts';
import { inWholeSeconds, type KubeObject, type StoredKubeObject, usage, type WatchEvent } from '../../api/index.ts';
import {
  customColumnsPrinter,
  formatYaml,
  goTemplatePrinter,
  jsonPathPrinter,
  listOf,
  parseColumnsFile,
  parseCustomColumns,
  type PrintedObject,
  renderObject,
  renderWatchLine,
} from '../../print/index.ts';
import type { OutputFlags } from './output-flags.ts';
import type { Cli } from '../base/cli.ts';

/** Prints objects one after the other, in the format that the user chose. */
export interface ObjectPrinter {
  /**
   * Prints an object.
   * @throws {PrintFailure}
   */
  print(object: PrintedObject): string;
  /**
   * Prints changes of a watch that arrived together.
   * @param isTyped true with `--output-watch-events`
   * @throws {PrintFailure}
   */
  printChanges(changes: ReadonlyArray<WatchEvent<StoredKubeObject>>, isTyped: boolean): string;
}

/** The flags about the format and the headings of tables. */
export type PrinterFlags = OutputFlags & { readonly headers?: boolean };

/** The call of a printer: its output, and the place of its templates. */
type PrinterPlace = Pick<Cli, 'pathOf'> & { readonly stdout: Pick<Cli['stdout'], 'isTerminal' | 'keepText'> };

/**
 * Makes the printer for `-o` and `--template`. Undefined when the command has its own output. Objects have the times
 * that the API has: the store has microseconds.
 * @throws {PodrunError} (usage) when a template is missing or wrong
 */
export function objectPrinter(cli: PrinterPlace, flags: PrinterFlags): ObjectPrinter | undefined {
  const printer = formatPrinter(cli, flags);
  return (
    printer && {
      print: (object) => printer.print(asServed(object)),
      printChanges: (changes, isTyped) => {
        const served = changes.map((change) => ({ ...change, object: inWholeSeconds(change.object) }));
        return printer.printChanges(served, isTyped);
      },
    }
  );
}

/** An object, or the items of a List, as the API sends them. */
function asServed(object: PrintedObject): PrintedObject {
  const { items } = object;
  return items === undefined ? inWholeSeconds(object as KubeObject) : { ...object, items: items.map(asServed) };
}

function formatPrinter(cli: PrinterPlace, flags: PrinterFlags): ObjectPrinter | undefined {
  const output = flags.output ?? (flags.template === undefined ? undefined : 'go-template');
  if (output === undefined || output === 'wide') return undefined;
  const [format, given] = splitOnce(output);
  if (format === 'name') return oneByOne((object) => renderObject(object, 'name'));
  if (format === 'json') return jsonPrinter(flags);
  if (format === 'yaml') return yamlPrinter(flags);
  const print = templatePrinter(cli, format, given || flags.template || '', flags);
  // Scripts read values from templates: in a pipe or file, podrun writes them byte for byte, as kubectl does.
  if (!format.startsWith('custom-columns') && !cli.stdout.isTerminal) cli.stdout.keepText();
  if (!format.startsWith('custom-columns')) return oneByOne(print, (change) => print(asObject(change)));
  // Rows that arrive together share their column widths.
  const rows = (items: readonly PrintedObject[]): string => (items.length === 0 ? '' : print(listOf(items)));
  return {
    print,
    printChanges: (changes, isTyped) => rows(changes.map((change) => (isTyped ? asObject(change) : change.object))),
  };
}

type ObjectChange = WatchEvent<StoredKubeObject>;

/** @param printTyped prints a change with its type */
function oneByOne(
  print: (object: PrintedObject) => string,
  printTyped: (change: ObjectChange) => string = ({ object }) => print(object),
): ObjectPrinter {
  return {
    print,
    printChanges: (changes, isTyped) =>
      changes.map((change) => (isTyped ? printTyped(change) : print(change.object))).join(''),
  };
}

/** A change as a template sees it: `{{.type}} {{.object.metadata.name}}`. */
function asObject({ type, object }: ObjectChange): PrintedObject {
  return { type, object } as unknown as PrintedObject;
}

function jsonPrinter({ showManagedFields: managed }: PrinterFlags): ObjectPrinter {
  return oneByOne(
    (object) => renderObject(object, 'json', managed),
    ({ type, object }) => renderWatchLine(type, object, managed),
  );
}

/** Prints documents with `---` between them. */
function yamlPrinter({ showManagedFields: managed }: PrinterFlags): ObjectPrinter {
  let separator = '';
  const next = (text: string): string => {
    const document = separator + text;
    separator = '---\n';
    return document;
  };
  return oneByOne(
    (object) => next(renderObject(object, 'yaml', managed)),
    ({ type, object }) => next(formatYaml({ object, type })),
  );
}

function templatePrinter(
  cli: PrinterPlace,
  format: string,
  given: string,
  flags: PrinterFlags,
): ObjectPrinter['print'] {
  if (format.startsWith('custom-columns')) {
    if (given === '') throw usage('custom-columns format specified but no custom columns given');
    const columns = format.endsWith('file')
      ? parseColumnsFile(readTemplate(cli, given, 'template'))
      : parseCustomColumns(given);
    // As in kubectl, --no-headers has no effect on columns from a file.
    return customColumnsPrinter(columns, flags.headers === false && !format.endsWith('file'));
  }
  if (given === '') throw usage('template format specified but no template given');
  const template = format.endsWith('file') ? readTemplate(cli, given, '--template') : given;
  const allowMissingKeys = flags.allowMissingTemplateKeys;
  if (!format.startsWith('jsonpath')) return goTemplatePrinter({ template, allowMissingKeys });
  return jsonPathPrinter({ template, allowMissingKeys, asJson: format === 'jsonpath-as-json' });
}

/** The largest template file: a larger one is a mistake. */
const TEMPLATE_MAX_BYTES = 2 ** 20;

function readTemplate({ pathOf }: PrinterPlace, file: string, what: string): string {
  try {
    return readUpTo(pathOf(file), TEMPLATE_MAX_BYTES).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or directory' : message;
    throw usage(`error reading ${what} ${file}, open ${file}: ${why}`);
  }
}

function splitOnce(text: string): [string, string | undefined] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}
