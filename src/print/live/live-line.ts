import { formatGoDuration } from '../../api/duration.ts';
import { breakLines, type TextRange } from '../break-lines.ts';
import { excerpt } from '../excerpt.ts';
import type { Painter, Tone } from '../painter.ts';
import { escapeTerminal } from '../terminal-text.ts';
import { type LiveColumns, logName, POD_SUBJECT, shortName } from './live-columns.ts';
import type { Transition } from './transition.ts';

/** How to draw a line of the live view. */
export interface LiveStyle {
  readonly columns: LiveColumns;
  readonly color: Painter;
  /** Characters in a line of the terminal; undefined: lines may be of any length. */
  readonly width?: number | undefined;
}

/** A sign for each tone, so that a line can be read without colours. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', info: '›', muted: '·' };

/**
 * One line of the live view, without its newline: time, Pod (where there are several), container (or `Pod`), what
 * changed, why. In a terminal, what does not fit goes on in lines below.
 * @param sinceMs the moment that counts as zero, milliseconds since 1970
 */
export function renderTransition(transition: Transition, sinceMs: number, style: LiveStyle): string {
  const { atMs, pod, container, text, why, tone } = transition;
  const { columns, color, width } = style;
  const series = container === undefined ? undefined : columns.series.get(`${pod}/${container}`);
  const subject = shortName(container ?? POD_SUBJECT, columns.longestName).padEnd(columns.subjectWidth);
  const head: Part[] = [
    { text: `${formatElapsed(atMs - sinceMs).padStart(8)}  `, paint: (part) => color.tone('muted', part) },
    { text: columns.podWidth === 0 ? '' : `${shortName(pod, columns.longestName).padEnd(columns.podWidth)}  ` },
    { text: `${SIGNS[tone]} `, paint: (part) => color.tone(tone, part) },
    { text: `${subject}  `, paint: (part) => (series === undefined ? part : color.series(series, part)) },
  ];
  const body: Part[] = [
    { text: oneLine(text), paint: (part) => color.tone(tone, part) },
    { text: why ? `: ${excerpt(oneLine(why))}` : '', paint: (part) => color.tone('muted', part) },
  ];
  if (width === undefined) return paintParts([...head, ...body]);
  const used = textOf(head).length;
  // Where names leave little room, lines go on below the names.
  const indent = width - used < width * ROOM_SHARE ? Math.min(CONTINUED_INDENT, used) : used;
  const [first, ...rest] = breakLines(textOf(body), width - used, width - indent);
  const more = rest.map((range) => `\n${' '.repeat(indent)}${paintParts(body, range)}`);
  return `${paintParts(head)}${paintParts(body, first)}${more.join('')}`;
}

/** A smaller share of the line is little room for what happened. */
const ROOM_SHARE = 0.5;
const CONTINUED_INDENT = 10;

/** A line that a container, or one of its hooks, has written. */
export interface LogLine {
  readonly pod: string;
  readonly container: string;
  readonly hook?: string;
  readonly text: string;
}

/**
 * A line of output behind its prefix, without its newline: `web/main | listening on 8080`, and of a hook
 * `web/main (preStop) | draining`. With one Pod its name is left out.
 */
export function renderLogLine(line: LogLine, style: LiveStyle): string {
  return `${logPrefix(line, style)}${line.text}`;
}

/** What stands before each line of output, with the blank behind it. */
export function logPrefix({ pod, container, hook }: Omit<LogLine, 'text'>, { columns, color }: LiveStyle): string {
  const name = logName(pod, container, columns);
  const prefix = `${(hook === undefined ? name : `${name} (${hook})`).padEnd(columns.prefixWidth)} |`;
  return `${color.series(columns.series.get(`${pod}/${container}`) ?? columns.series.size, prefix)} `;
}

/** A piece of a line: what is written, and how it is painted once it is clear where lines are broken. */
interface Part {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('');
}

/** @param range what of their text is wanted; undefined: all of it */
function paintParts(parts: readonly Part[], range: TextRange = { from: 0, to: Number.POSITIVE_INFINITY }): string {
  let at = 0;
  const painted = parts.map(({ text, paint = (part) => part }) => {
    const wanted = text.slice(Math.max(0, range.from - at), Math.max(0, range.to - at));
    at += text.length;
    return wanted === '' ? '' : paint(wanted);
  });
  return painted.join('');
}

/** Seconds with hundredths below a quarter of an hour: `0.42s`; longer runs as `16m40s`. */
function formatElapsed(ms: number): string {
  return ms < 900_000 ? `${(Math.max(0, ms) / 1000).toFixed(2)}s` : formatGoDuration(Math.trunc(ms / 1000) * 1000);
}

/** Text that others wrote, in one line and without effect on the terminal. */
function oneLine(text: string): string {
  return escapeTerminal(text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ '));
}
