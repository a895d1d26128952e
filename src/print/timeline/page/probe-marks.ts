import type { ProbeSpan } from '../../../history/timeline/model.ts';

/** Attempts of a probe that one mark stands for. */
export interface ProbeMark {
  readonly fromMs: number;
  readonly last: ProbeSpan;
  readonly count: number;
}

/** Beyond that nobody can tell marks apart, and the page would have megabytes of them. */
const MARKS_MAX = 1000;

export function isGood({ result }: ProbeSpan): boolean {
  return result === 'success' || result === 'warning';
}

/** Did it change anything? */
export function isTurn({ decision }: ProbeSpan): boolean {
  return !['none', 'retry', 'notCounted', 'abandoned'].includes(decision);
}

/**
 * The marks for the attempts of a probe: one for each, as long as they are not too many. Then neighbours with the same
 * result share one, except those that changed something.
 */
export function probeMarks(attempts: readonly ProbeSpan[]): ProbeMark[] {
  const together = Math.ceil(attempts.length / MARKS_MAX);
  const marks: ProbeMark[] = [];
  for (let start = 0; start < attempts.length; start += together) {
    const open = new Map<string, number>();
    for (const last of attempts.slice(start, start + together)) {
      const at = isTurn(last) ? undefined : open.get(last.result);
      const mark = at === undefined ? undefined : marks[at];
      if (at !== undefined && mark !== undefined) marks[at] = { fromMs: mark.fromMs, last, count: mark.count + 1 };
      else {
        if (!isTurn(last)) open.set(last.result, marks.length);
        marks.push({ fromMs: last.fromMs, last, count: 1 });
      }
    }
  }
  return marks;
}
