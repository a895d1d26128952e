import { describe, expect, it } from 'vitest';
import type { ProbeSpan } from '../../../src/history/story/model.ts';
import { probeMarks } from '../../../src/print/timeline/page/probe-marks.ts';

function attempts(count: number): ProbeSpan[] {
  return Array.from({ length: count }, (_, index) => ({
    probe: 'liveness',
    attempt: 0,
    result: index % 3 === 0 ? 'failure' : 'success',
    decision: index === 4321 ? 'kill' : 'none',
    count: 1,
    threshold: 3,
    output: '',
    fromMs: index * 10,
    toMs: index * 10 + 1,
  }));
}

describe('marks of a probe', () => {
  it('are one for each attempt', () => {
    expect(probeMarks(attempts(1000)).map(({ count }) => count)).toEqual(Array.from({ length: 1000 }, () => 1));
  });

  it('are shared by neighbours where there are too many; what changed something has its own', () => {
    const marks = probeMarks(attempts(10_000));
    expect(marks.length).toBeLessThan(2100);
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
    expect(marks.find(({ last }) => last.decision === 'kill')).toMatchObject({ count: 1, fromMs: 43_210 });
    expect(marks.every(({ fromMs }, index) => index === 0 || fromMs > (marks[index - 1]?.fromMs ?? 0))).toBe(true);
  });
});
