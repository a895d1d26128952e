import { formatGoDuration } from '../../api/index.ts';
import { excerpt, beginningOf } from '../text/excerpt.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { escapeTerminal } from '../text/terminal-text.ts';
import { type LiveColumns, logName, POD_SUBJECT, shortName } from './live-columns.ts';
import type { Transition } from './transition.ts';

/** The style of the lines in the live view. */
export interface LiveStyle {
  readonly columns: LiveColumns;
  readonly color: Painter;
  /** Characters in a terminal line. Undefined for lines of any length. */
  readonly width?: number | undefined;
}

/** The sign of each tone, which makes lines readable without colours. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', info: '›', muted: '·' };

/**
 * One line of the live view without its newline: time, Pod or workload (if there are several), container (or `Pod`, or
 * the kind of the workload), change, reason. In a terminal, a long line continues in lines below.
 * @param sinceMs the time that counts as zero, milliseconds since 1970
 */
export function renderTransition(transition: Transition, sinceMs: number, style: LiveStyle): string {
  const { atMs, pod, container, subject: kind = POD_SUBJECT, text, why, tone } = transition;
  const { columns, color, width } = style;
  const series = container === undefined ? undefined : columns.series.get(`${pod}/${container}`);
  const subject = shortName(container ?? kind, columns.longestName).padEnd(columns.subjectWidth);
  const head: LinePart[] = [
    { text: `${formatElapsed(atMs - sinceMs).padStart(8)}  `, paint: (part) => color.tone('muted', part) },
    { text: columns.podWidth === 0 ? '' : `${shortName(pod, columns.longestName).padEnd(columns.podWidth)}  ` },
    { text: `${SIGNS[tone]} `, paint: (part) => color.tone(tone, part) },
    { text: `${subject}  `, paint: (part) => (series === undefined ? part : color.series(series, part)) },
  ];
  const body: LinePart[] = [
    { text: oneLine(text), paint: (part) => color.tone(tone, part) },
    { text: why ? `: ${excerpt(oneLine(why))}` : '', paint: (part) => color.tone('muted', part) },
  ];
  if (width === undefined) return paintParts([...head, ...body]);
  const used = textOf(head).length;
  // With little room beside the names, the text continues below them.
  const indent = width - used < width * ROOM_SHARE ? Math.min(CONTINUED_INDENT, used) : used;
  const [first, ...rest] = breakLines(textOf(body), width - used, width - indent);
  const more = rest.map((range) => `\n${' '.repeat(indent)}${paintParts(body, range)}`);
  return `${paintParts(head)}${paintParts(body, first)}${more.join('')}`;
}

/** The share of a line that the text needs beside the names. */
const ROOM_SHARE = 0.5;
const CONTINUED_INDENT = 10;

/** A line of output of a container or of one of its hooks. */
export interface LiveLogLine {
  readonly pod: string;
  readonly container: string;
  readonly hook?: string;
  readonly text: string;
}

/**
 * A line of output with its prefix, without its newline: `web/main | listening on 8080`, or for a hook
 * `web/main (preStop) | draining`. For a single Pod its name is left out.
 */
export function renderLogLine(line: LiveLogLine, style: LiveStyle): string {
  return `${logPrefix(line, style)}${line.text}`;
}

/** The prefix of a line of output, with the blank after it. */
export function logPrefix({ pod, container, hook }: Omit<LiveLogLine, 'text'>, { columns, color }: LiveStyle): string {
  const name = logName(pod, container, columns);
  const prefix = `${(hook === undefined ? name : `${name} (${hook})`).padEnd(columns.prefixWidth)} |`;
  return `${color.series(columns.series.get(`${pod}/${container}`) ?? columns.series.size, prefix)} `;
}

/** A part of a line. `paint` is applied after the line was broken. */
interface LinePart {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

function textOf(parts: readonly LinePart[]): string {
  return parts.map(({ text }) => text).join('');
}

/** @param range the part of the text to paint; default: all */
function paintParts(parts: readonly LinePart[], range: TextRange = { from: 0, to: Number.POSITIVE_INFINITY }): string {
  let at = 0;
  const painted = parts.map(({ text, paint = (part) => part }) => {
    const wanted = text.slice(Math.max(0, range.from - at), Math.max(0, range.to - at));
    at += text.length;
    return wanted === '' ? '' : paint(wanted);
  });
  return painted.join('');
}

/** Formats a time: seconds with hundredths below a quarter of an hour (`0.42s`), longer times as `16m40s`. */
function formatElapsed(ms: number): string {
  return ms < 900_000 ? `${(Math.max(0, ms) / 1000).toFixed(2)}s` : formatGoDuration(Math.trunc(ms / 1000) * 1000);
}

/** Puts foreign text on one line, with control characters escaped. */
function oneLine(text: string): string {
  return escapeTerminal(text.trim().replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ '));
}

/** A part of a text, with the arguments of `slice()`. */
interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Breaks a text into lines between words. Cuts a word that is longer than a line.
 * @param first characters in the first line
 * @param rest characters in each further line
 */
function breakLines(text: string, first: number, rest: number): TextRange[] {
  const lines: TextRange[] = [];
  let from = 0;
  let room = Math.max(2, first);
  while (text.length - from > room) {
    const blank = text.lastIndexOf(' ', from + room);
    // A word that does not fit a first line may fit the next.
    const cut = room < rest ? 0 : beginningOf(text.slice(from), room).length;
    const to = blank > from ? blank : from + cut;
    lines.push({ from, to });
    from = blank > from ? to + 1 : to;
    room = Math.max(2, rest);
  }
  return [...lines, { from, to: text.length }];
}
