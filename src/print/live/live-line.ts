import { formatGoDuration } from '../../api/index.ts';
import { beginningOf, excerpt } from '../text/excerpt.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { escapeTerminal } from '../text/terminal-text.ts';
import { type LiveColumns, shortName, widestField } from './live-columns.ts';
import type { Transition } from './transition.ts';

/** The style of the lines in the live view. */
export interface LiveStyle {
  readonly columns: LiveColumns;
  readonly color: Painter;
  /** Characters in a terminal line. Undefined for lines of any length. */
  readonly width?: number | undefined;
  /** True for the time of day in place of the time since the beginning. Default: false. */
  readonly hasTimestamps?: boolean;
}

/** The sign of each tone, which makes lines readable without colours. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', info: '›', muted: '·' };
const OUTPUT_SIGN = '│';
const GAP = '  ';
const TIME_WIDTH = 8;

/** A line of the grid. */
type GridLine = Pick<Transition, 'atMs' | 'pod' | 'subject' | 'container' | 'role' | 'tone' | 'text' | 'why'>;

/**
 * One line of the live view without its newline: time, sign, name, role, change, reason. In a terminal, a long line
 * continues in lines below.
 * @param sinceMs the time that counts as zero, milliseconds since 1970
 */
export function renderTransition(transition: GridLine, sinceMs: number, style: LiveStyle): string {
  const { text, why, tone } = transition;
  const { color, width } = style;
  const names = nameParts(transition, style, widestField(width));
  const head = [...timeAndSign(transition.atMs - sinceMs, transition, style), ...names];
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

/** A remark about the run in the place of a name: `goal met, ending the Pods`. */
export function renderRemark(
  remark: Pick<GridLine, 'atMs' | 'text' | 'tone'>,
  sinceMs: number,
  style: LiveStyle,
): string {
  const { color, width } = style;
  const head = timeAndSign(remark.atMs - sinceMs, remark, style);
  const body: LinePart[] = [{ text: oneLine(remark.text), paint: (part) => color.tone(remark.tone, part) }];
  const used = textOf(head).length;
  const room = width === undefined ? Number.POSITIVE_INFINITY : width - used;
  const lines = breakLines(textOf(body), room, room).map((range) => paintParts(body, range));
  return `${paintParts(head)}${lines.join(`\n${' '.repeat(used)}`)}`;
}

function timeAndSign(
  elapsedMs: number,
  { atMs, tone }: Pick<GridLine, 'atMs' | 'tone'>,
  { color, hasTimestamps }: LiveStyle,
): LinePart[] {
  const time = hasTimestamps === true ? timeOfDay(atMs) : formatElapsed(elapsedMs).padStart(TIME_WIDTH);
  return [
    { text: `${time}${GAP}`, paint: (part) => color.tone('muted', part) },
    { text: `${SIGNS[tone]} `, paint: (part) => color.tone(tone, part) },
  ];
}

/** Milliseconds are enough for a person, and keep the column narrow. */
function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString();
}

/**
 * The parts of a line about a name and its role, as wide as in all lines.
 * @param most the characters for a name that the columns do not know: a container of `debug`, a static Pod
 */
function nameParts(
  about: Pick<GridLine, 'pod' | 'subject' | 'container' | 'role'>,
  { columns, color }: LiveStyle,
  most: number,
): LinePart[] {
  const { nameWidth, fieldWidth, series } = columns;
  const { pod, container, role = '' } = about;
  const number = container === undefined ? undefined : (series.get(`${pod}/${container}`) ?? series.size);
  const paint = (part: string): string => (number === undefined ? part : color.series(number, part));
  const name = nameOf(about, columns);
  if (role === '') return [{ text: `${shortName(name, most).padEnd(fieldWidth)}${GAP}`, paint }];
  const beside = Math.max(fieldWidth - nameWidth, GAP.length + role.length);
  const label = shortName(name, Math.max(nameWidth, most - beside)).padEnd(nameWidth);
  return [
    { text: `${label}${GAP}`, paint },
    { text: role.padEnd(fieldWidth - label.length - GAP.length) + GAP, paint: (part) => color.tone('muted', part) },
  ];
}

/** The name that a line is about: a Pod, a container, `deployment/web`. */
function nameOf({ pod, subject, container }: Pick<GridLine, 'pod' | 'subject' | 'container'>, columns: LiveColumns) {
  if (subject !== undefined) return subject;
  const label = columns.labels.get(pod) ?? pod;
  if (container !== undefined) return columns.isSingle ? container : `${label}/${container}`;
  // A container may have the name of its Pod.
  return columns.isSingle && columns.series.has(`${pod}/${pod}`) ? `pod/${label}` : label;
}

/** The share of a line that the text needs beside the names. */
const ROOM_SHARE = 0.5;
const CONTINUED_INDENT = 12;

/** A line of output of a container or of one of its hooks. */
export interface LiveLogLine {
  readonly pod: string;
  readonly container: string;
  readonly hook?: string;
  /** The time of the output, milliseconds since 1970. */
  readonly atMs: number;
}

/**
 * The beginning of a line of output, which hangs below the name of its container: `│ main  `. A hook stands in the
 * place of the role: `│ main  preStop  `.
 */
export function logPrefix({ pod, container, hook, atMs }: LiveLogLine, style: LiveStyle): string {
  const time = style.hasTimestamps === true ? style.color.tone('muted', timeOfDay(atMs)) : ' '.repeat(TIME_WIDTH);
  // In a terminal, the lines in which output continues have the columns.
  const most = style.width === undefined ? Number.POSITIVE_INFINITY : style.columns.fieldWidth;
  const bar = { text: `${OUTPUT_SIGN} `, paint: (part: string) => style.color.tone('muted', part) };
  return `${time}${GAP}${paintParts([bar, ...nameParts({ pod, container, role: hook }, style, most)])}`;
}

/** The beginning of the lines in which a long line of output continues, and the characters beside it. */
export function continuedLog(style: LiveStyle): { readonly prefix: string; readonly room: number } {
  const before = (style.hasTimestamps === true ? timeOfDay(0).length : TIME_WIDTH) + GAP.length;
  const after = 1 + style.columns.fieldWidth + GAP.length;
  const prefix = `${' '.repeat(before)}${style.color.tone('muted', OUTPUT_SIGN)}${' '.repeat(after)}`;
  return { prefix, room: (style.width ?? Number.POSITIVE_INFINITY) - before - 1 - after };
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
