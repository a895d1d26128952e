import { readBuildFile } from '../../build-file.ts';
import type { Descriptions } from '../../manifest/index.ts';
import table from './column-descriptions.json' with { type: 'json' };

/**
 * The descriptions of the columns of Tables, by resource and title. `=TYPE.FIELD` is the description of a field.
 * Source: pkg/printers/internalversion/printers.go.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = table;

/** The texts of fields that columns have, by `=TYPE.FIELD`. Undefined: no client has asked for a Table yet. */
let texts: ReadonlyMap<string, string> | undefined;

/**
 * The description of a column. Empty: it has none.
 * @param file `descriptions.json` beside the built program: it is read once, and only the texts of columns are kept
 */
export function columnDescription(plural: string, title: string, file: string): string {
  const text = TABLE[plural]?.[title] ?? '';
  if (!text.startsWith('=')) return text;
  texts ??= textsIn(file);
  return texts.get(text) ?? '';
}

function textsIn(file: string): ReadonlyMap<string, string> {
  const descriptions = JSON.parse(readBuildFile(file).toString()) as Descriptions;
  const fields = Object.values(TABLE)
    .flatMap((columns) => Object.values(columns))
    .filter((text) => text.startsWith('='));
  return new Map(
    fields.map((name) => {
      const dot = name.lastIndexOf('.');
      return [name, descriptions[name.slice(1, dot)]?.fields[name.slice(dot + 1)]?.text ?? ''];
    }),
  );
}
