import type { Instant } from '../../api/index.ts';
import { cellsOf, cutToCells } from '../text/cells.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { shortName } from '../live/live-columns.ts';
import { type FollowedWorkload, unfolded, workloadRow } from './workload-row.ts';
import { type FollowedService, serviceRow } from '../live/service-row.ts';
import { type FollowedPod, podEntry, type PodEntry, type StatusRow } from '../live/status-row.ts';

/** The contents of the status block, and the room for it. */
export interface StatusBlock {
  /** The workloads with their Pods. */
  readonly workloads: readonly FollowedWorkload[];
  /** The Services, above everything else. Default: none. */
  readonly services?: readonly FollowedService[];
  /** The other Pods, in the order of the manifest. */
  readonly pods: readonly FollowedPod[];
  readonly now: Instant;
  /** The cells in a line of the terminal. */
  readonly columns: number;
  /** The most lines of the block, at least 1. */
  readonly rows: number;
  readonly color: Painter;
  /** The number of each container, by `pod/container`, see LiveColumns. */
  readonly series: ReadonlyMap<string, number>;
  /** The help about keys, from the shortest to the longest text. Empty for no help. */
  readonly keys: readonly string[];
  /** The least widths of the columns: those of the previous block, so that columns do not move. */
  readonly widths?: Widths | undefined;
}

/** The cells of each column. */
export type Widths = Readonly<Record<BlockColumn, number>>;

type BlockColumn = 'name' | 'ready' | 'status' | 'restarts' | 'age';

const COLUMNS: readonly BlockColumn[] = ['name', 'ready', 'status', 'restarts', 'age'];
const NO_WIDTHS: Widths = { name: 0, ready: 0, status: 0, restarts: 0, age: 0 };
const HEADINGS: Readonly<Record<BlockColumn, string>> = {
  name: 'POD',
  ready: 'READY',
  status: 'STATUS',
  restarts: 'RESTARTS',
  age: 'AGE',
};
const GAP = 2;
/** The cells that the column of current activity needs at least. Other columns are dropped for it, in this order. */
const LEAST_NOW = 20;
const DROPPED_FIRST: readonly BlockColumn[] = ['age', 'restarts', 'ready'];
/** The largest share of the line for a name. */
const NAME_SHARE = 0.25;
const LEAST_NAME = 16;
/** The terminal width below which some columns are narrower. */
const WIDE = 100;
const NARROW_RESTARTS = 'RST';
const NARROW_STATUS = 16;
/** The number of lines from which the block has a heading. */
const LEAST_WITH_HEADING = 4;

/** The lines of the block, each shorter than a line of the terminal, and the widths of its columns. */
export interface RenderedBlock {
  readonly lines: readonly string[];
  readonly widths: Widths;
}

/**
 * The current state of all Services, workloads and Pods: a table with a line for each, and, if there is room, lines
 * for the containers of Pods with several. The Pods of a workload stand below it; many are folded. When not all Pods
 * fit, the most interesting ones remain, and the last line counts the others: `… and 37 more: 30 Running, 7 Pending`.
 */
export function renderStatusBlock(block: StatusBlock): RenderedBlock {
  const all = [
    ...(block.services ?? []).map((service) => rowEntry(serviceRow(service, block.now.wallMs))),
    ...block.workloads.flatMap((followed) => workloadEntries(followed, block.now)),
    ...block.pods.map((followed) => namedEntry(followed, block.now)),
  ];
  const hasHeading = block.rows >= LEAST_WITH_HEADING;
  const { rows, left } = choose(all, block.rows - (hasHeading ? 1 : 0));
  const widths = widthsOf(rows, block);
  const lines = rows.map((row) => renderRow(row, widths, block));
  if (left.length > 0) lines.push(block.color.tone('muted', cutToCells(countText(left, all), lineWidth(block))));
  return { lines: hasHeading ? [heading(widths, block), ...lines] : lines, widths };
}

/** The usable cells of a line: a terminal whose last cell is filled may begin a new line. */
function lineWidth({ columns }: StatusBlock): number {
  return Math.max(0, columns - 1);
}

interface NamedEntry extends PodEntry {
  readonly pod: string;
  readonly isWorkload: boolean;
}

function namedEntry(followed: FollowedPod, now: Instant): NamedEntry {
  return { ...podEntry(followed, now), pod: followed.pod.metadata.name, isWorkload: false };
}

/** A workload, and below it its Pods. */
function workloadEntries(followed: FollowedWorkload, now: Instant): NamedEntry[] {
  const row = workloadRow(followed, now.wallMs);
  const pods = unfolded(followed, (pod) => podEntry(pod, now).priority).map((pod): NamedEntry => {
    const entry = namedEntry(pod, now);
    const indented = (isExpanded: boolean): StatusRow[] =>
      entry.rows(isExpanded).map((podRow) => (podRow.sign === '' ? { ...podRow, name: `  ${podRow.name}` } : podRow));
    return { ...entry, rows: indented };
  });
  return [rowEntry(row), ...pods];
}

/** The entry of a workload or of a Service. */
function rowEntry(row: StatusRow): NamedEntry {
  return { priority: 0, status: row.status, size: 0, rows: () => [row], pod: row.name, isWorkload: true };
}

interface ShownRows {
  readonly rows: readonly PodRow[];
  readonly left: readonly NamedEntry[];
}

interface PodRow extends StatusRow {
  /** The name of its Pod. */
  readonly pod: string;
}

/**
 * Chooses the lines: one for each workload and each Pod, then containers of the most interesting Pods while there is
 * room.
 */
function choose(all: readonly NamedEntry[], room: number): ShownRows {
  const hasWorkloads = all.some(({ isWorkload }) => isWorkload);
  const byPriority = all.toSorted((a, b) => Number(b.isWorkload) - Number(a.isWorkload) || a.priority - b.priority);
  const fits = all.length <= room;
  const shown = new Set(fits ? all : byPriority.slice(0, Math.max(0, room - 1)));
  let spare = fits ? room - all.length : 0;
  const expanded = new Set<NamedEntry>();
  for (const pod of byPriority) {
    if (!shown.has(pod) || pod.size === 0 || pod.size > spare) continue;
    expanded.add(pod);
    spare -= pod.size;
  }
  // When all Pods fit, they keep their order. Those of workloads always stand below them.
  const rows = (
    fits || hasWorkloads ? all.filter((entry) => shown.has(entry)) : byPriority.filter((entry) => shown.has(entry))
  ).flatMap((entry) => entry.rows(expanded.has(entry)).map((row) => ({ ...row, pod: entry.pod })));
  return { rows, left: all.filter((pod) => !shown.has(pod)) };
}

function countText(left: readonly NamedEntry[], all: readonly NamedEntry[]): string {
  const counts = new Map<string, number>();
  for (const { status } of left) counts.set(status, (counts.get(status) ?? 0) + 1);
  const texts = [...counts].toSorted(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`);
  const start =
    left.length === all.length
      ? `${left.length} ${left.some(({ isWorkload }) => isWorkload) ? 'objects' : 'Pods'}`
      : `… and ${left.length} more`;
  return `${start}: ${texts.join(', ')}`;
}

/** The widths that all rows need. Names are shortened if necessary. */
function widthsOf(rows: readonly PodRow[], block: StatusBlock): Widths {
  const before = block.widths ?? NO_WIDTHS;
  const widest = (column: BlockColumn): number =>
    Math.max(
      before[column],
      cellsOf(headingOf(column, block)),
      ...rows.map((row) => cellsOf(column === 'name' ? nameOf(row) : row[column])),
    );
  const widths: Record<BlockColumn, number> = { ...NO_WIDTHS };
  for (const column of COLUMNS) widths[column] = widest(column);
  if (block.columns < WIDE) widths.status = Math.min(widths.status, NARROW_STATUS);
  widths.name = Math.min(widths.name, Math.max(LEAST_NAME, Math.floor(block.columns * NAME_SHARE)));
  return widths;
}

function headingOf(column: BlockColumn, { columns, workloads, services = [] }: StatusBlock): string {
  if (column === 'name' && workloads.length + services.length > 0) return 'NAME';
  return column === 'restarts' && columns < WIDE ? NARROW_RESTARTS : HEADINGS[column];
}

/** The columns that fit the terminal. */
function columnsShown(widths: Widths, block: StatusBlock): readonly BlockColumn[] {
  let shown = COLUMNS;
  for (const column of DROPPED_FIRST) {
    const used = shown.reduce((sum, shownColumn) => sum + widths[shownColumn] + GAP, 0);
    if (lineWidth(block) - used >= LEAST_NOW) break;
    shown = shown.filter((shownColumn) => shownColumn !== column);
  }
  return shown;
}

/** @param width cells for sign and name, which is shortened to fit; default: no limit */
function nameOf({ sign, name }: StatusRow, width: number = Number.POSITIVE_INFINITY): string {
  const mark = sign === '' ? '' : ` ${sign} `;
  return `${mark}${shortName(name, width - mark.length)}`;
}

function renderRow(row: PodRow, widths: Widths, block: StatusBlock): string {
  const { color, series } = block;
  const number = row.container === undefined ? undefined : series.get(`${row.pod}/${row.container}`);
  const paint: Readonly<Record<BlockColumn, (text: string) => string>> = {
    name: (text) => (number === undefined ? text : paintName(text, row, (part) => color.series(number, part), color)),
    ready: (text) => text,
    status: (text) => color.tone(row.tone, text),
    restarts: (text) => (row.restarts === '0' ? color.tone('muted', text) : text),
    age: (text) => color.tone('muted', text),
  };
  const cells: Cell[] = columnsShown(widths, block).map((column) => ({
    text: column === 'name' ? nameOf(row, widths.name) : row[column],
    width: widths[column],
    paint: paint[column],
  }));
  return renderCells([...cells, { text: row.now, width: Number.POSITIVE_INFINITY }], lineWidth(block));
}

/** Paints the sign with the tone of the row, and the name with the colour of its container. */
function paintName(text: string, { sign, tone }: StatusRow, series: (text: string) => string, color: Painter): string {
  const end = text.indexOf(sign) + sign.length;
  return color.tone(tone satisfies Tone, text.slice(0, end)) + series(text.slice(end));
}

function heading(widths: Widths, block: StatusBlock): string {
  const shown = columnsShown(widths, block);
  const { color } = block;
  const used = shown.reduce((sum, column) => sum + widths[column] + GAP, 0);
  const room = lineWidth(block) - used - 'NOW'.length - GAP;
  const keys = block.keys.findLast((text) => cellsOf(text) <= room) ?? '';
  const cells: Cell[] = [
    ...shown.map((column) => ({ text: headingOf(column, block), width: widths[column] })),
    { text: keys === '' ? 'NOW' : `NOW${keys.padStart(room + GAP)}`, width: Number.POSITIVE_INFINITY },
  ];
  return renderCells(
    cells.map((cell) => ({ ...cell, paint: (text: string) => color.tone('muted', text) })),
    lineWidth(block),
  );
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly paint?: (text: string) => string;
}

/** Joins cells up to the width of the line, and paints only their visible parts. */
function renderCells(cells: readonly Cell[], width: number): string {
  let line = '';
  let used = 0;
  let owed = 0;
  for (const { text, width: wanted, paint = (part: string) => part } of cells) {
    const room = Math.min(wanted, width - used - owed);
    const shown = room <= 0 ? '' : cutToCells(text, room);
    if (shown !== '') {
      line += ' '.repeat(owed) + paint(shown);
      used += owed + cellsOf(shown);
      owed = 0;
    }
    owed += wanted - (shown === '' ? 0 : cellsOf(shown)) + GAP;
    if (!Number.isFinite(owed)) break;
  }
  return line;
}
