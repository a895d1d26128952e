import type { StoredPod } from '../../api/objects.ts';
import { formatGoDuration } from '../../api/duration.ts';
import { containersOf } from './container-view.ts';
import { beginningOf, excerpt } from '../excerpt.ts';
import type { Painter, Tone } from '../painter.ts';
import { escapeTerminal } from '../table-row.ts';
import type { Transition } from './transition.ts';

/** Widths and colours that all lines of a run share, so that they line up. */
export interface LiveColumns {
  readonly podWidth: number;
  readonly subjectWidth: number;
  readonly prefixWidth: number;
  /** Number of each container, by `pod/container`: it picks the colour. */
  readonly series: ReadonlyMap<string, number>;
}

/** How to draw a line of the live view. */
export interface LiveStyle {
  readonly columns: LiveColumns;
  readonly color: Painter;
  /** Characters in a line of the terminal; undefined: lines may be of any length. */
  readonly width?: number | undefined;
}

/** What a line about the whole Pod has for a subject. No container can be called that. */
const POD_SUBJECT = 'Pod';

/** The columns that fit these Pods. */
export function liveColumns(pods: readonly StoredPod[]): LiveColumns {
  const names = pods.flatMap((pod) =>
    containersOf(pod).map(({ container }) => ({ pod: pod.metadata.name, container: container.name })),
  );
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));
  const prefixes = names.map(({ pod, container }) => `${pod}/${container}`);
  return {
    podWidth: widest(pods.map(({ metadata }) => metadata.name)),
    subjectWidth: widest([POD_SUBJECT, ...names.map(({ container }) => container)]),
    prefixWidth: widest(prefixes),
    series: new Map(prefixes.map((prefix, index) => [prefix, index])),
  };
}

/** A sign for each tone, so that a line can be read without colours. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✗', info: '›', muted: '·' };

/**
 * One line of the live view, without its newline: time, Pod, container (or `Pod`), what changed, why.
 * @param sinceMs the moment that counts as zero, milliseconds since 1970
 */
export function renderTransition(transition: Transition, sinceMs: number, style: LiveStyle): string {
  const { atMs, pod, container, text, why, tone } = transition;
  const { columns, color, width } = style;
  const series = container === undefined ? undefined : columns.series.get(`${pod}/${container}`);
  const parts: Part[] = [
    { text: `${formatElapsed(atMs - sinceMs).padStart(8)}  `, paint: (part) => color.tone('muted', part) },
    { text: `${pod.padEnd(columns.podWidth)}  ` },
    { text: `${SIGNS[tone]} `, paint: (part) => color.tone(tone, part) },
    {
      text: `${(container ?? POD_SUBJECT).padEnd(columns.subjectWidth)}  `,
      paint: (part) => (series === undefined ? part : color.series(series, part)),
    },
    { text: oneLine(text), paint: (part) => color.tone(tone, part) },
  ];
  if (!why) return paintParts(parts, width);
  const used = parts.reduce((sum, part) => sum + part.text.length, 0);
  const reason = causeKept(`: ${excerpt(oneLine(why))}`, (width ?? Number.POSITIVE_INFINITY) - used);
  return paintParts([...parts, { text: reason, paint: (part) => color.tone('muted', part) }], width);
}

/** `: Get "http://127.0.0.1:80/": dial tcp 127.0.0.1:80: connect: connection refused`: the cause is what comes last. */
const OF_HTTP_CLIENT = /^: (?:Get|Head|Post) ".*": (?:.*: )?(.+)$/;
const LEAST_BEGINNING = 12;

/** The words of an HTTP client, without their middle where they have no room: the cause is read at any width. */
function causeKept(reason: string, room: number): string {
  const cause = reason.length <= room ? undefined : OF_HTTP_CLIENT.exec(reason)?.[1];
  if (cause === undefined) return reason;
  const beginning = beginningOf(reason, room - cause.length - 1);
  return `${beginning.length < LEAST_BEGINNING ? ': ' : beginning}…${cause}`;
}

/** A line that a container, or one of its hooks, has written. */
export interface LogLine {
  readonly pod: string;
  readonly container: string;
  readonly hook?: string;
  readonly text: string;
}

/**
 * A line of output behind its prefix, without its newline: `web/main | listening on 8080`, and of a hook
 * `web/main (preStop) | draining`.
 */
export function renderLogLine(line: LogLine, style: LiveStyle): string {
  return `${logPrefix(line, style)}${line.text}`;
}

/** What stands before each line of output, with the blank behind it. */
export function logPrefix({ pod, container, hook }: Omit<LogLine, 'text'>, { columns, color }: LiveStyle): string {
  const name = `${pod}/${container}`;
  const prefix = `${(hook === undefined ? name : `${name} (${hook})`).padEnd(columns.prefixWidth)} |`;
  return `${color.series(columns.series.get(name) ?? columns.series.size, prefix)} `;
}

/** A piece of a line: what is written, and how it is painted once it is clear how much of it fits. */
interface Part {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

function paintParts(parts: readonly Part[], width: number = Number.POSITIVE_INFINITY): string {
  const whole = parts.map(({ text }) => text).join('');
  const isCut = whole.length > width;
  let left = isCut ? width - 1 : width;
  const painted = parts.map(({ text, paint = (part) => part }) => {
    const fitting = beginningOf(text, left);
    left -= fitting.length;
    return fitting === '' ? '' : paint(fitting);
  });
  return painted.join('') + (isCut ? '…' : '');
}

/** Seconds with hundredths below a quarter of an hour: `0.42s`; longer runs as `16m40s`. */
function formatElapsed(ms: number): string {
  return ms < 900_000 ? `${(Math.max(0, ms) / 1000).toFixed(2)}s` : formatGoDuration(Math.trunc(ms / 1000) * 1000);
}

/** Text that others wrote, in one line and without effect on the terminal. */
function oneLine(text: string): string {
  return escapeTerminal(text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ '));
}
