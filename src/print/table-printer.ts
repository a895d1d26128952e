import type { StoredMeta, WatchEvent } from '../api/objects.ts';
import { labelText } from './labels.ts';
import { renderRows } from './table-row.ts';
import { TABLE_LAYOUT, TabWriter } from './tab-writer.ts';

/** The flags of `get` that choose what its tables show. */
export interface TableOptions {
  /** `-o wide`: the columns that are marked so. */
  readonly wide?: boolean;
  /** `-A`: NAMESPACE first. */
  readonly allNamespaces?: boolean;
  /** `--show-labels`: LABELS last. */
  readonly showLabels?: boolean;
  /** `-L`: one column for each of these labels. */
  readonly labelColumns?: readonly string[];
  readonly noHeaders?: boolean;
  /** `--output-watch-events`: EVENT. */
  readonly watchEvents?: boolean;
  /** `--show-kind`: names with this in front, `pod/NAME`. */
  readonly kindPrefix?: string;
}

/** Whatever has a row in a table. */
export interface TableObject {
  readonly metadata: StoredMeta;
}

/** One column: its heading, and its cell for an object. */
export interface Column<T extends TableObject> {
  readonly heading: string;
  /** Is it shown with `-o wide` only? */
  readonly wide?: boolean;
  /** Ages are as of `nowMs`. */
  cell(object: T, nowMs: number): string;
}

type Row = WatchEvent<TableObject>;

/** The table of `get`, with headings. An empty list gives an empty text. */
export function renderTable<T extends TableObject>(
  columns: readonly Column<T>[],
  objects: readonly T[],
  nowMs: number,
  options: TableOptions = {},
): string {
  const events = objects.map((object): WatchEvent<T> => ({ type: 'ADDED', object }));
  return new TablePrinter(columns, options).render(events, nowMs);
}

/** Prints a table of `get` piece by piece, as `-w` needs it: headings once, columns that only ever grow. */
export class TablePrinter<T extends TableObject> {
  readonly #headings: readonly string[];
  readonly #cells: ReadonlyArray<(row: WatchEvent<T>, nowMs: number) => string>;
  readonly #writer = new TabWriter(TABLE_LAYOUT);
  #headingsDue: boolean;

  constructor(columns: readonly Column<T>[], options: TableOptions = {}) {
    const all = allColumns(columns, options);
    this.#headings = all.map(({ heading }) => heading);
    this.#cells = all.map(({ cell }) => cell);
    this.#headingsDue = options.noHeaders !== true;
  }

  /** Lines for these objects, ages as of `nowMs`; with the headings in front when they are the first. */
  render(events: readonly WatchEvent<T>[], nowMs: number): string {
    if (events.length === 0) return '';
    const rows: Array<readonly string[]> = events.map((event) => this.#cells.map((cell) => cell(event, nowMs)));
    if (this.#headingsDue) rows.unshift(this.#headings);
    this.#headingsDue = false;
    return this.#writer.render(renderRows(rows));
  }
}

/** A column that may say something about the change, not only about the object. */
interface RowColumn<T extends TableObject> {
  readonly heading: string;
  readonly cell: (row: WatchEvent<T>, nowMs: number) => string;
}

/** The API machinery pads the words to the same length. */
const EVENT: RowColumn<TableObject> = { heading: 'EVENT', cell: ({ type }: Row) => type.padEnd('MODIFIED'.length) };
const NAMESPACE: RowColumn<TableObject> = {
  heading: 'NAMESPACE',
  cell: ({ object }: Row) => object.metadata.namespace,
};
const LABELS: RowColumn<TableObject> = {
  heading: 'LABELS',
  cell: ({ object }: Row) => labelText(object.metadata.labels),
};

function allColumns<T extends TableObject>(columns: readonly Column<T>[], options: TableOptions): RowColumn<T>[] {
  const { kindPrefix = '', labelColumns = [] } = options;
  const own = columns
    .filter(({ wide }) => wide !== true || options.wide === true)
    .map((column): RowColumn<T> => {
      const prefix = column.heading === 'NAME' ? kindPrefix : '';
      return { heading: column.heading, cell: ({ object }, nowMs) => prefix + column.cell(object, nowMs) };
    });
  return [
    ...(options.allNamespaces === true ? [NAMESPACE] : []),
    ...(options.watchEvents === true ? [EVENT] : []),
    ...own,
    ...labelColumns.map(labelColumn),
    ...(options.showLabels === true ? [LABELS] : []),
  ];
}

function labelColumn(key: string): RowColumn<TableObject> {
  return {
    heading: key.slice(key.lastIndexOf('/') + 1).toUpperCase(),
    cell: ({ object }) => object.metadata.labels?.[key] ?? '',
  };
}
