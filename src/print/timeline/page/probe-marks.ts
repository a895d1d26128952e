import type { ProbeSpan } from '../../../history/index.ts';

/** Attempts of a probe that share one mark. */
export interface ProbeMark {
  readonly fromMs: number;
  readonly last: ProbeSpan;
  readonly count: number;
}

/** The number of marks for a probe: more would overlap, and the page would have megabytes of them. */
const MARKS_MAX = 1000;

/** True for an attempt with a decision. */
export function hasDecision({ decision }: ProbeSpan): boolean {
  return !['none', 'retry', 'notCounted', 'abandoned'].includes(decision);
}

/**
 * The marks for the attempts of a probe: one for each, up to MARKS_MAX. For more attempts, neighbours with equal
 * results share one mark, except those with a decision.
 */
export function probeMarks(attempts: readonly ProbeSpan[]): ProbeMark[] {
  const together = Math.ceil(attempts.length / MARKS_MAX);
  const marks: ProbeMark[] = [];
  for (let start = 0; start < attempts.length; start += together) {
    const open = new Map<string, number>();
    for (const last of attempts.slice(start, start + together)) {
      const at = hasDecision(last) ? undefined : open.get(last.result);
      const mark = at === undefined ? undefined : marks[at];
      if (at !== undefined && mark !== undefined) marks[at] = { fromMs: mark.fromMs, last, count: mark.count + 1 };
      else {
        if (!hasDecision(last)) open.set(last.result, marks.length);
        marks.push({ fromMs: last.fromMs, last, count: 1 });
      }
    }
  }
  return marks;
}
