import type { ContainerStory, NodeLane, Timeline } from '../../history/index.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { CONDITIONS_LABEL, Drawing, nodeLabel } from './drawing.ts';
import { type GlyphName, type Glyphs, LEGEND } from './glyphs.ts';
import { podSummary, workloadGroups } from './pod-summary.ts';
import type { NamedTimeline } from './trace.ts';
import { stepDuration, tickLabel, ticksMs } from './scale.ts';
import { pathExtract, stepHint, stepText } from './step-text.ts';

export interface TimelineStyle {
  /** The columns of the terminal. */
  readonly width: number;
  readonly color: Painter;
  readonly glyphs: Glyphs;
  /** The lanes of nodes, which stand above all else. Default: none. */
  readonly nodes?: readonly NodeLane[];
}

/** The legends of the rows of workloads and nodes. */
const DIGITS = '0-9 the number of Ready Pods of a workload, + more';
const DIGITS_OF_NODES = '0-9 the number of Pods on a node, + more';

const LABEL_MAX = 28;
const CANVAS_MIN = 20;
const TICK_COLUMNS = 10;
/** The columns of a bar for 100 % of the time. */
const BAR_COLUMNS = 10;
const TEXT_MIN = 20;
/** The length of foreign text that is shown. The events have all of it. */
const TEXT_MAX = 400;

/**
 * Draws runs of Pods on one time axis, with the critical path of each below. Above the Pods of a workload stands the
 * number of them that are Ready. Ends with a newline.
 */
export function renderTimelines(runs: readonly NamedTimeline[], style: TimelineStyle): string {
  const timelines = runs.map(({ timeline }) => timeline);
  const groups = workloadGroups(runs).map(({ workload, members }) => ({
    workload,
    timelines: members.map(({ timeline }) => timeline),
  }));
  const originMs = Math.min(...timelines.map(({ createdAtMs }) => createdAtMs));
  const lengthMs = Math.max(1, ...timelines.map(({ createdAtMs, endMs }) => createdAtMs - originMs + endMs));
  const { nodes = [] } = style;
  const labels = [
    ...nodes.map(({ name }) => nodeLabel(name)),
    ...runs.flatMap(({ workload = '', timeline }) => [
      workload,
      timeline.name,
      CONDITIONS_LABEL,
      ...timeline.containers.flatMap(labelsOf),
    ]),
  ];
  const labelWidth = Math.min(LABEL_MAX, Math.floor(style.width / 3), Math.max(...labels.map((label) => label.length)));
  const width = Math.max(CANVAS_MIN, style.width - labelWidth - 2);
  const drawing = new Drawing({ lengthMs, width, glyphs: style.glyphs });
  const rowsOfPods = groups.flatMap(({ workload, timelines: own }) => [
    ...(workload === undefined ? [] : [drawing.workloadRow(workload, own, originMs)]),
    ...own.flatMap((timeline) => drawing.rowsOf(timeline, timeline.createdAtMs - originMs)),
  ]);
  const rows = [...nodes.map((lane) => drawing.nodeRow(lane)), ...rowsOfPods];
  const pad = (label: string): string => shortened(label, labelWidth, style.glyphs.more).padEnd(labelWidth);
  const lines = [
    ...timelines.map((timeline) => `${timeline.name}: ${podSummary(timeline, nodes.length > 0)}`),
    '',
    ...axisLines(drawing).map((line) => `${pad('')}  ${style.color.tone('muted', line)}`),
    ...rows.map(({ label, canvas }) => `${pad(label)}  ${canvas.render(style.color)}`.trimEnd()),
    '',
    ...legendLines(drawing, style),
    ...(groups.some(({ workload }) => workload !== undefined) ? [style.color.tone('muted', DIGITS)] : []),
    ...(nodes.length > 0 ? [style.color.tone('muted', DIGITS_OF_NODES)] : []),
    ...timelines.flatMap((timeline) => ['', ...pathLines(timeline, style)]),
  ];
  return `${lines.join('\n')}\n`;
}

function labelsOf({ name, hooks, probes }: ContainerStory): string[] {
  const handlers = [...hooks.map(({ hook }) => hook as string), ...probes.map(({ probe }) => probe as string)];
  return [`  ${name}`, ...handlers.map((handler) => `    ${handler}`)];
}

function axisLines({ lengthMs, width }: Drawing): string[] {
  const labels = Array.from({ length: width }, () => ' ');
  const line = Array.from({ length: width }, () => '-');
  let free = 0;
  for (const atMs of ticksMs(lengthMs, Math.floor(width / TICK_COLUMNS))) {
    const column = Math.min(width - 1, Math.floor((atMs / lengthMs) * width));
    line[column] = '+';
    const label = tickLabel(atMs);
    if (column < free || column + label.length > width) continue;
    labels.splice(column, label.length, ...label.split(''));
    free = column + label.length + 1;
  }
  return [labels.join('').trimEnd(), line.join('')];
}

function legendLines({ used, conditions }: Drawing, { glyphs, color, width }: TimelineStyle): string[] {
  const names = (Object.keys(LEGEND) as GlyphName[]).filter((name) => used.has(name));
  const entries = [
    ...names.map((name) => ({ mark: glyphs[name], ...LEGEND[name] })),
    ...[...conditions].map(([mark, type]) => ({ mark, text: type, tone: undefined })),
  ];
  const lines: string[][] = [];
  let taken = width;
  for (const { mark, text, tone } of entries) {
    const length = mark.length + text.length + 4;
    if (taken + length > width) taken = lines.push([]) && 0;
    lines.at(-1)?.push(`${tone === undefined ? mark : color.tone(tone, mark)} ${color.tone('muted', text)}`);
    taken += length;
  }
  return lines.map((line) => line.join('   '));
}

function shortened(label: string, length: number, more: string): string {
  return label.length <= length ? label : `${label.slice(0, length - more.length)}${more}`;
}

/** The critical path of a Pod, a line for each step to show. */
function pathLines({ name, criticalPath }: Timeline, { width, color, glyphs }: TimelineStyle): string[] {
  const { isReady, toMs } = criticalPath;
  const { steps, others, longest, purpose } = pathExtract(criticalPath);
  const title = isReady
    ? `${name} was Ready after ${stepDuration(toMs)}. One after another:`
    : `${name} was never Ready. What it did for ${stepDuration(toMs)}, one after another:`;
  const lines = (ms: number, share: number, text: string, tone: Tone = 'info'): string[] => {
    const bar = glyphs.bar.repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS);
    const head = `${stepDuration(ms).padStart(9)} ${`${Math.round(share * 100)}%`.padStart(4)}  ${bar} `;
    const [first = '', ...rest] = folded(printable(text), Math.max(TEXT_MIN, width - head.length));
    return [
      `${head}${color.tone(tone, first)}`,
      ...rest.map((more) => `${' '.repeat(head.length)}${color.tone(tone, more)}`),
    ];
  };
  const hint = longest === undefined ? undefined : stepHint(longest);
  return [
    title,
    ...steps.flatMap((step) => lines(step.toMs - step.fromMs, step.share, stepText(step))),
    ...(others.count === 0 ? [] : lines(others.ms, others.share, `${others.count} more steps`, 'muted')),
    ...(longest === undefined || hint === undefined
      ? []
      : folded(
          printable(`${purpose}: ${hint} (${longest.field ?? stepText({ ...longest, message: undefined })})`),
          width,
        )),
  ];
}

/** Removes control characters from foreign text. */
function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '?')
    .trim();
}

/** Wraps a text to lines of a length, between words if possible. */
function folded(text: string, length: number): string[] {
  const lines: string[] = [];
  let rest = text.slice(0, TEXT_MAX);
  while (rest.length > length) {
    const space = rest.lastIndexOf(' ', length);
    const end = space > length / 2 ? space : length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
