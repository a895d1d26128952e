import type { Timeline } from '../../history/timeline/model.ts';
import type { Tone } from '../painter.ts';
import { stepDuration } from './scale.ts';
import { pathExtract, stepHint, stepText } from './step-text.ts';
import type { TimelineStyle } from './terminal.ts';

/** Columns of a step that took all of the time. */
const BAR_COLUMNS = 10;
const TEXT_MIN = 20;
/** What others say may be of any length; all of it is in the events. */
const TEXT_MAX = 400;

/** The critical path of a Pod, a line for each step that is worth one. */
export function pathLines({ name, criticalPath }: Timeline, { width, color, glyphs }: TimelineStyle): string[] {
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

/** What others wrote must not steer the terminal. */
function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '?')
    .trim();
}

/** In lines of that length, broken between words where that is possible. */
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
