import { stepDuration } from '../scale.ts';
import { type Markup, markup } from './markup.ts';
import type { ChartRow, Entry } from './rows.ts';

/** The heights of rows in pixels. */
const HEIGHTS: Readonly<Record<ChartRow['kind'], number>> = {
  workload: 40,
  pod: 40,
  container: 30,
  thin: 18,
  handler: 18,
};
const BAR_MARGIN = 5;
const CHART_LABEL = 'Timeline. Arrow keys move to the next entry, plus and minus change the scale.';

export interface Chart {
  readonly rows: readonly ChartRow[];
  readonly lengthMs: number;
}

/** Draws all rows on one axis. Positions are percentages, so that a wider picture is an enlargement. */
export function chartMarkup({ rows, lengthMs }: Chart): Markup {
  const tops: number[] = [];
  let height = 0;
  for (const { kind } of rows) {
    tops.push(height);
    height += HEIGHTS[kind];
  }
  let number = 0;
  const bands = rows.map((row, index) => {
    const y = tops[index] ?? 0;
    const entries = row.entries.map((entry) => entryMarkup(entry, { row, y, lengthMs, number: number++ }));
    const lineY = y + HEIGHTS[row.kind];
    const band =
      row.kind === 'pod' || row.kind === 'workload'
        ? markup`<rect class="${row.kind}-band" x="0" width="100%" y="${y}" height="${HEIGHTS.pod}"/>`
        : undefined;
    return markup`${band}<line class="row-line" x1="0" x2="100%" y1="${lineY}" y2="${lineY}"/>
<g role="list" aria-label="${row.label}">${entries}</g>`;
  });
  const labels = rows.map(({ kind, label, note }) => {
    const small = note === '' ? undefined : markup`<small>${note}</small>`;
    return markup`<div class="label ${kind}"><span title="${label}">${label}</span>${small}</div>`;
  });
  return markup`<div class="chart" id="chart" role="group" aria-label="${CHART_LABEL}">
<div class="canvas"><div class="corner"></div>
<svg class="axis" id="axis" height="30" aria-hidden="true"></svg>
<div class="labels" aria-hidden="true">${labels}</div>
<svg class="plot" id="plot" height="${height}" data-length="${lengthMs}">
<g id="grid" aria-hidden="true"></g>${bands}</svg></div></div>`;
}

interface Placed {
  readonly row: ChartRow;
  readonly y: number;
  readonly lengthMs: number;
  readonly number: number;
}

function entryMarkup(entry: Entry, { row, y, lengthMs, number }: Placed): Markup {
  const height = HEIGHTS[row.kind];
  const drawn = entry.isMark
    ? markMarkup(entry, percent(entry.fromMs, lengthMs), y + height / 2)
    : barMarkup(entry, lengthMs, { y: y + barMargin(row), height: height - 2 * barMargin(row) });
  return markup`<g class="entry ${entry.look}" role="listitem" tabindex="${number === 0 ? 0 : -1}"
 data-i="${number}" aria-label="${screenReaderText(entry)}">${drawn}</g>`;
}

function barMargin({ kind }: ChartRow): number {
  return kind === 'pod' || kind === 'workload' ? BAR_MARGIN + 3 : kind === 'container' ? BAR_MARGIN : 4;
}

function barMarkup(entry: Entry, lengthMs: number, { y, height }: { y: number; height: number }): Markup {
  const rect = ({ fromMs, toMs }: { fromMs: number; toMs: number }, look: string): Markup => {
    const [x, width] = [percent(fromMs, lengthMs), percent(toMs - fromMs, lengthMs)];
    return markup`<rect class="${look}" x="${x}" width="${width}" y="${y}" height="${height}" rx="3"/>`;
  };
  const text =
    entry.label === ''
      ? undefined
      : markup`<svg x="${percent(entry.fromMs, lengthMs)}" width="${percent(entry.toMs - entry.fromMs, lengthMs)}"
 y="${y}" height="${height}"><text x="7" y="${height / 2}" dy="0.35em">${entry.label}</text></svg>`;
  const end = percent(entry.toMs, lengthMs);
  const edge = entry.look.includes('bad')
    ? markup`<line class="edge" x1="${end}" x2="${end}" y1="${y - 2}" y2="${y + height + 2}"/>`
    : undefined;
  return markup`${rect(entry, 'bar')}${entry.parts.map((part) => rect(part, `part ${part.look}`))}${edge}${text}`;
}

/** The shape of a mark. Each meaning has its own, since colour alone is not accessible. */
function markMarkup({ look }: Entry, x: string, y: number): Markup {
  return markup`<svg x="${x}" y="${y}" class="mark" overflow="visible"><circle class="hit" r="9"/>${new Map([
    ['met', markup`<path d="M0-6 6 0 0 6-6 0Z"/>`],
    ['unmet', markup`<path class="hollow" d="M0-5 5 0 0 5-5 0Z"/>`],
    ['end-succeeded', markup`<circle r="8"/><path class="sign" d="M-4 0-1 3 4-3"/>`],
    ['end-failed', markup`<circle r="8"/><path class="sign" d="M-3-3 3 3M3-3-3 3"/>`],
    ['probe good', markup`<circle r="2.75"/>`],
    ['probe bad', markup`<path class="sign" d="M-3-3 3 3M3-3-3 3"/>`],
    ['probe good turned', markup`<path d="M0-6 6 5-6 5Z"/>`],
    ['probe bad turned', markup`<path d="M0 6 6-5-6-5Z"/>`],
  ]).get(look)}</svg>`;
}

function percent(ms: number, lengthMs: number): string {
  return `${Number(((ms / lengthMs) * 100).toFixed(4))}%`;
}

/** The description of an entry for screen readers. */
function screenReaderText({ pod, container, title, fromMs, toMs, isMark, details }: Entry): string {
  const subject = pod.includes('/') ? pod : `Pod ${pod}`;
  const where = container === undefined ? subject : `${subject}, container ${container}`;
  const when = isMark ? `at ${stepDuration(fromMs)}` : `from ${stepDuration(fromMs)} to ${stepDuration(toMs)}`;
  const more = details.slice(0, 3).map(([name, value]) => `${name}: ${value.slice(0, 120)}`);
  return [`${where}: ${title}`, when, ...more].join('; ');
}
