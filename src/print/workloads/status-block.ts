import type { Instant } from '../../api/index.ts';
import { cellsOf, cutToCells } from '../text/cells.ts';
import type { Painter } from '../text/painter.ts';
import { addressRow, type FollowedAddress, type FollowedWorkload, livePods, workloadRow } from './workload-row.ts';
import { podLabel, shortName } from '../live/live-columns.ts';
import {
  type BlockTarget,
  type FollowedPod,
  podEntry,
  type PodEntry,
  type RowPart,
  type StatusRow,
  targetsOf,
} from '../live/status-row.ts';

/** The contents of the status block, and the room for it. */
export interface StatusBlock {
  /** The workloads with their Pods. */
  readonly workloads: readonly FollowedWorkload[];
  /** The Services and Ingresses. Default: none. */
  readonly addresses?: readonly FollowedAddress[];
  /** The other Pods, in the order of the manifest. */
  readonly pods: readonly FollowedPod[];
  readonly now: Instant;
  /** The cells in a line of the terminal. */
  readonly columns: number;
  /** True for a column with the nodes of Pods. Default: false. */
  readonly hasNodes?: boolean;
  /** The most lines of the block, at least 1. */
  readonly rows: number;
  readonly color: Painter;
  /** The number of each container, by `pod/container`, see LiveColumns. */
  readonly series: ReadonlyMap<string, number>;
  /** The help about keys, from the shortest to the longest text. Empty for no help. */
  readonly keys: readonly string[];
  /** The Pod or container that the user has chosen. */
  readonly selected?: BlockTarget | undefined;
  /** Only objects and containers with this text in their names. Default: all. */
  readonly filter?: string;
  /** The least widths of the columns: the widths in the previous block, so that columns do not move. */
  readonly widths?: Widths | undefined;
}

/** The cells of each column. */
export interface Widths {
  readonly name: number;
  readonly status: number;
  /** 0: there is no such column. */
  readonly node: number;
}

const GAP = '  ';
const INDENT = '  ';
/** The gutter of each line while something is chosen. */
const CHOSEN = '▸ ';
/** The largest share of the line for a name. */
const NAME_SHARE = 0.35;
const LEAST_NAME = 16;
const LEAST_REST = 20;
/** The most lines for the Pods of one workload that are well. */
const WELL_LINES = 2;

/** The lines of the block, each shorter than a line of the terminal, and the widths of its columns. */
export interface RenderedBlock {
  readonly lines: readonly string[];
  readonly widths: Widths;
}

/** Rows that are shown together or not at all. */
interface BlockEntry {
  readonly rank: number;
  /** The words for what it stands for, in counts: the status of each Pod. */
  readonly statuses: readonly string[];
  readonly brief: readonly StatusRow[];
  /** The rows where there is room. Undefined: there are no more. */
  readonly full?: readonly StatusRow[] | undefined;
}

/**
 * The current state of all workloads, Pods and addresses: a line for each workload with its addresses, its Pods that
 * are well side by side, and a line for every other Pod, with lines for its containers while one is not well.
 * When not all fit, the most interesting ones remain, and the last line counts the rest.
 */
export function renderStatusBlock(block: StatusBlock): RenderedBlock {
  const entries = entriesOf(block);
  const widths = widthsOf(
    entries.flatMap(({ brief, full }) => full ?? brief),
    block,
  );
  const drawn = entries.map((entry) => ({
    entry,
    brief: entry.brief.flatMap((row) => linesOf(row, widths, block)),
    full: entry.full?.flatMap((row) => linesOf(row, widths, block)),
  }));
  const { lines, left } = choose(drawn, block.rows);
  if (left.length > 0) lines.push([{ text: countText(left, left.length === entries.length), tone: 'muted' }]);
  return { lines: withKeys(lines, block).map((line) => painted(line, block)), widths };
}

/** The Pods and containers of the block, in its order, for a choice. */
export function blockTargets(block: Pick<StatusBlock, 'workloads' | 'pods' | 'filter'>): BlockTarget[] {
  const ofWorkloads = block.workloads.flatMap((followed) => podsShown(livePods(followed), block));
  return [...ofWorkloads, ...podsShown(block.pods, block)].flatMap(({ pod }) => targetsOf(pod));
}

function podsShown(pods: readonly FollowedPod[], { filter = '' }: Pick<StatusBlock, 'filter'>): FollowedPod[] {
  return pods.filter(({ pod }) => targetsOf(pod).some((target) => targetName(target).includes(filter)));
}

/** The name of a target in a sentence: `web/app`. */
export function targetName({ pod, container }: BlockTarget): string {
  return container === undefined ? pod.metadata.name : `${pod.metadata.name}/${container}`;
}

/** The usable cells of a line: a terminal whose last cell is filled may begin a new line. */
function lineWidth({ columns }: Pick<StatusBlock, 'columns'>): number {
  return Math.max(0, columns - 1);
}

function entriesOf(block: StatusBlock): BlockEntry[] {
  const { addresses = [], filter = '', workloads } = block;
  const uids = new Set(workloads.map(({ workload }) => workload.metadata.uid));
  const isBeside = ({ workload, trouble }: FollowedAddress): boolean =>
    trouble === undefined && workload !== undefined && uids.has(workload);
  const own = addresses.filter((address) => !isBeside(address) && address.name.includes(filter));
  return [
    ...workloads.flatMap((followed) => {
      const { uid, name } = followed.workload.metadata;
      const pods = podsShown(livePods(followed), block);
      if (!name.includes(filter) && pods.length === 0) return [];
      const urls = addresses.filter((address) => isBeside(address) && address.workload === uid);
      const row = workloadRow(followed, urls);
      return [{ rank: 0, statuses: [followed.workload.kind], brief: [row] }, ...podsOfWorkload(pods, name, block)];
    }),
    ...podsShown(block.pods, block).map((followed) => entryOf(podEntry(followed, block.now), 0, block)),
    ...own.map((address) => ({ rank: 0, statuses: ['address'], brief: [addressRow(address)] })),
  ];
}

function entryOf(pod: PodEntry, depth: number, { selected }: StatusBlock): BlockEntry {
  const isChosen = selected?.pod.metadata.uid === pod.pod.metadata.uid;
  const hasMore = (isChosen && targetsOf(pod.pod).length > 1) || pod.isOpen;
  const full = hasMore ? pod.rows(depth, true) : undefined;
  const rank = isChosen ? -1 : pod.priority + 1;
  return { rank, statuses: [pod.status], brief: isChosen && full ? full : pod.rows(depth, false), full };
}

/** The Pods of a workload: Pods that are well share lines, and every other Pod has its own. */
function podsOfWorkload(pods: readonly FollowedPod[], workload: string, block: StatusBlock): BlockEntry[] {
  const entries = pods.map((followed) => podEntry(followed, block.now));
  const isChosen = ({ pod }: PodEntry): boolean => block.selected?.pod.metadata.uid === pod.metadata.uid;
  const well = entries.filter((entry) => entry.priority >= 2 && !isChosen(entry));
  const ofWell = well.length === 0 ? [] : [wellEntry(well, workload, block)];
  return [...ofWell, ...entries.filter((entry) => !well.includes(entry)).map((entry) => entryOf(entry, 1, block))];
}

function wellEntry(pods: readonly PodEntry[], workload: string, block: StatusBlock): BlockEntry {
  const room = lineWidth(block) - INDENT.length - gutterOf(block).length;
  const lines: RowPart[][] = [[]];
  let named = 0;
  for (const pod of pods) {
    const parts = wellParts(pod, workload, block);
    const last = lines.at(-1) ?? [];
    const isFirst = last.length === 0;
    const fits = isFirst || partsWidth(last) + GAP.length * 2 + partsWidth(parts) <= room;
    if (!fits && lines.length === WELL_LINES) break;
    if (fits) last.push(...(isFirst ? [] : [{ text: '  ' }]), ...parts);
    else lines.push([...parts]);
    named += 1;
  }
  const more = pods.length - named;
  if (more > 0) lines.push([{ text: `… and ${more} more: ${more} Running`, tone: 'muted' }]);
  return {
    rank: 3,
    statuses: pods.map(({ status }) => status),
    brief: lines.map((rest) => ({ depth: 1, sign: '', name: '', status: '', tone: 'good', rest })),
  };
}

/** A Pod that is well: `pcpcs ✓ cache ✓ web`, or `✓ pcpcs` with one container; with its node, `✓ pcpcs node-1`. */
function wellParts({ pod, marks }: PodEntry, workload: string, { hasNodes = false }: StatusBlock): RowPart[] {
  const label = podLabel(pod);
  const name = label.startsWith(`${workload}-`) ? label.slice(workload.length + 1) : label;
  const node: RowPart[] = hasNodes ? [{ text: pod.spec.nodeName ?? '', tone: 'muted' }] : [];
  return marks.length === 0
    ? [{ text: '✓', tone: 'good' }, { text: name }, ...node]
    : [{ text: name }, ...node, ...marks];
}

function partsWidth(parts: readonly RowPart[]): number {
  return parts.reduce((sum, { text }) => sum + cellsOf(text) + 1, -1);
}

interface DrawnEntry {
  readonly entry: BlockEntry;
  readonly brief: readonly Line[];
  readonly full: readonly Line[] | undefined;
}

/** A line as cells, before it is painted. */
type Line = readonly RowPart[];

/** Chooses the entries that fit, then the rows of containers while there is room. */
function choose(all: readonly DrawnEntry[], room: number): { lines: Line[]; left: BlockEntry[] } {
  const byRank = all.toSorted((a, b) => a.entry.rank - b.entry.rank);
  const total = all.reduce((sum, { brief }) => sum + brief.length, 0);
  let spare = total <= room ? room : room - 1;
  const chosen = new Map<DrawnEntry, readonly Line[]>();
  for (const drawn of byRank) {
    if (drawn.brief.length > spare) continue;
    chosen.set(drawn, drawn.brief);
    spare -= drawn.brief.length;
  }
  for (const drawn of byRank) {
    const more = (drawn.full?.length ?? 0) - drawn.brief.length;
    if (!chosen.has(drawn) || drawn.full === undefined || more > spare) continue;
    chosen.set(drawn, drawn.full);
    spare -= Math.max(0, more);
  }
  return {
    lines: all.flatMap((drawn) => chosen.get(drawn) ?? []),
    left: all.filter((drawn) => !chosen.has(drawn)).map(({ entry }) => entry),
  };
}

function countText(left: readonly BlockEntry[], isAll: boolean): string {
  const counts = new Map<string, number>();
  const statuses = left.flatMap((entry) => entry.statuses);
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const texts = [...counts].toSorted(([, a], [, b]) => b - a).map(([status, count]) => `${count} ${status}`);
  const start = isAll ? `${statuses.length} in all` : `… and ${statuses.length} more`;
  return `${start}: ${texts.join(', ')}`;
}

function widthsOf(rows: readonly StatusRow[], block: StatusBlock): Widths {
  const named = rows.filter(({ name }) => name !== '');
  const most = Math.max(LEAST_NAME, Math.floor(block.columns * NAME_SHARE));
  const name = Math.max(block.widths?.name ?? 0, ...named.map((row) => cellsOf(headOf(row) + row.name)));
  const status = Math.max(block.widths?.status ?? 0, ...named.map((row) => cellsOf(row.status)));
  const node = block.hasNodes === true ? Math.max(block.widths?.node ?? 0, ...named.map(nodeCells)) : 0;
  const left = lineWidth(block) - Math.min(name, most) - (node === 0 ? 0 : node + GAP.length) - LEAST_REST;
  return { name: Math.min(name, most), status: Math.max(0, Math.min(status, Math.max(LEAST_NAME, left))), node };
}

function nodeCells({ node = '' }: StatusRow): number {
  return cellsOf(node);
}

function headOf({ depth, sign }: StatusRow): string {
  return `${INDENT.repeat(depth)}${sign === '' ? '' : `${sign} `}`;
}

function gutterOf({ selected }: StatusBlock): string {
  return selected === undefined ? '' : ' '.repeat(CHOSEN.length);
}

/** The lines of a row: addresses that do not fit beside the rest have lines of their own. */
function linesOf(row: StatusRow, widths: Widths, block: StatusBlock): Line[] {
  const { rest, urls = [], tone, target } = row;
  const isChosen = block.selected !== undefined && target !== undefined && isSame(target, block.selected);
  const gutter: RowPart[] = gutterOf(block) === '' ? [] : [{ text: isChosen ? CHOSEN : gutterOf(block) }];
  if (row.name === '') return [[...gutter, { text: headOf(row) }, ...spaced(rest, ' ')]];
  const head = headOf(row);
  const name = shortName(row.name, widths.name - cellsOf(head)).padEnd(widths.name - cellsOf(head));
  const series = target?.container === undefined ? undefined : `${target.pod.metadata.name}/${target.container}`;
  const status = cutToCells(row.status, widths.status).padEnd(widths.status);
  const nodeParts: RowPart[] =
    widths.node === 0 ? [] : [{ text: GAP }, { text: (row.node ?? '').padEnd(widths.node), tone: 'muted' }];
  const line: RowPart[] = [
    ...gutter,
    { text: head, tone },
    { text: name, series },
    { text: GAP },
    { text: status, tone },
    ...nodeParts,
  ];
  const beside = [...line, { text: GAP }, ...spaced([...rest, ...urls], GAP)];
  if (urls.length === 0 || widthOf(beside) <= lineWidth(block)) return [beside];
  return [[...line, { text: GAP }, ...spaced(rest, GAP)], ...urls.flatMap((url) => wholeUrl(url, gutter, block))];
}

function isSame(a: BlockTarget, b: BlockTarget): boolean {
  return a.pod.metadata.uid === b.pod.metadata.uid && a.container === b.container;
}

/** The address in as many lines as it needs. */
function wholeUrl(url: RowPart, gutter: readonly RowPart[], block: StatusBlock): Line[] {
  const room = Math.max(1, lineWidth(block) - INDENT.length - widthOf(gutter));
  const count = Math.ceil(url.text.length / room);
  const pieces = Array.from({ length: count }, (_, index) => url.text.slice(index * room, (index + 1) * room));
  return pieces.map((text) => [...gutter, { text: INDENT }, { ...url, text }]);
}

/** Puts a separator between the parts: one blank between a sign and its name. */
function spaced(parts: readonly RowPart[], separator: string): RowPart[] {
  return parts.flatMap((part, index) => {
    const isAfterSign = index > 0 && /^[✓✗›·]$/.test(parts[index - 1]?.text ?? '');
    const isSign = /^[✓✗›·]$/.test(part.text);
    const before =
      index === 0 ? '' : isAfterSign || (isSign && separator === GAP && isMark(parts, index)) ? ' ' : separator;
    return before === '' ? [part] : [{ text: before }, part];
  });
}

/** True for the sign of a container that follows another container. */
function isMark(parts: readonly RowPart[], index: number): boolean {
  return parts[index - 1]?.series !== undefined;
}

function widthOf(parts: readonly RowPart[]): number {
  return parts.reduce((sum, { text }) => sum + cellsOf(text), 0);
}

/** Writes the help about keys at the right of the first line, or below all when that has no room. */
function withKeys(lines: readonly Line[], block: StatusBlock): Line[] {
  const [first, ...further] = lines;
  if (first === undefined || block.keys.length === 0) return [...lines];
  const trimmed = trimmedEnd(first);
  const room = lineWidth(block) - widthOf(trimmed) - GAP.length;
  const fitting = block.keys.findLast((text) => cellsOf(text) <= room);
  if (fitting !== undefined) {
    const text = ' '.repeat(room + GAP.length - cellsOf(fitting)) + fitting;
    return [[...trimmed, { text, tone: 'muted' }], ...further];
  }
  const below = block.keys.findLast((text) => cellsOf(text) <= lineWidth(block));
  if (below === undefined || lines.length >= block.rows) return [...lines];
  return [...lines, [{ text: below, tone: 'muted' }]];
}

/** The line without blanks at its end. */
function trimmedEnd(line: Line): Line {
  const last = line.at(-1);
  if (last === undefined) return line;
  const text = last.text.trimEnd();
  return text === '' ? trimmedEnd(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}

/** Paints the visible parts of a line. */
function painted(line: Line, { color, series, ...block }: StatusBlock): string {
  let room = lineWidth(block);
  return trimmedEnd(line)
    .map(({ text, tone, series: container }) => {
      const cut = cutToCells(text, room);
      room -= cellsOf(cut);
      if (cut === '') return '';
      if (container !== undefined) return color.series(series.get(container) ?? series.size, cut);
      return tone === undefined ? cut : color.tone(tone, cut);
    })
    .join('');
}
