import type { StoredMeta, WatchEvent } from '../../api/index.ts';
import { labelText } from '../text/labels.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from '../text/tab-writer.ts';

/** The flags of `get` that concern its tables. */
export interface TableOptions {
  /** `-o wide`: adds the wide columns. */
  readonly wide?: boolean;
  /** `-A`: adds the column NAMESPACE in front. */
  readonly allNamespaces?: boolean;
  /** `--show-labels`: adds the column LABELS at the end. */
  readonly showLabels?: boolean;
  /** `-L`: adds a column for each of these labels. */
  readonly labelColumns?: readonly string[];
  readonly noHeaders?: boolean;
  /** `--output-watch-events`: adds the column EVENT. */
  readonly watchEvents?: boolean;
  /** `--show-kind`: the kind in front of names, `pod/NAME`. */
  readonly kindPrefix?: string;
}

/** An object with a row in a table. */
export interface TableObject {
  readonly metadata: StoredMeta;
}

/** A column: its heading, and its cell for an object. */
export interface Column<T extends TableObject> {
  readonly heading: string;
  /** True for columns of `-o wide` only. */
  readonly wide?: boolean;
  /** The type in the Table of the API. Default: a text. */
  readonly type?: 'integer' | 'boolean' | 'date';
  /** True: the cell in the Table of the API is the number or the flag that the text shows, if it shows one. */
  readonly isRaw?: boolean;
  /** Returns the text of the cell. `nowMs` is the time for ages. */
  cell(object: T, nowMs: number): string;
}

type TableChange = WatchEvent<TableObject>;

/** The table of `get` with headings. Empty for an empty list. */
export function renderTable<T extends TableObject>(
  columns: readonly Column<T>[],
  objects: readonly T[],
  nowMs: number,
  options: TableOptions = {},
): string {
  const events = objects.map((object): WatchEvent<T> => ({ type: 'ADDED', object }));
  return new TablePrinter(columns, options).render(events, nowMs);
}

/** Prints a table of `get` in parts, as `-w` needs it: headings once, and columns that never shrink. */
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

  /** Rows for these objects. The first call adds the headings. `nowMs` is the time for ages. */
  render(events: readonly WatchEvent<T>[], nowMs: number): string {
    if (events.length === 0) return '';
    const rows: Array<readonly string[]> = events.map((event) => this.#cells.map((cell) => cell(event, nowMs)));
    if (this.#headingsDue) rows.unshift(this.#headings);
    this.#headingsDue = false;
    return this.#writer.render(renderRows(rows));
  }
}

/** A column that may depend on the change as well as on the object. */
interface RowColumn<T extends TableObject> {
  readonly heading: string;
  readonly cell: (row: WatchEvent<T>, nowMs: number) => string;
}

/** The column EVENT. Its words have equal lengths, as in the API machinery. */
const EVENT: RowColumn<TableObject> = {
  heading: 'EVENT',
  cell: ({ type }: TableChange) => type.padEnd('MODIFIED'.length),
};
const NAMESPACE: RowColumn<TableObject> = {
  heading: 'NAMESPACE',
  cell: ({ object }: TableChange) => object.metadata.namespace,
};
const LABELS: RowColumn<TableObject> = {
  heading: 'LABELS',
  cell: ({ object }: TableChange) => labelText(object.metadata.labels),
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
