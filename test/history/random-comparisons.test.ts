import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns, type RunComparison } from '../../src/history/compare/compare-runs.ts';
import { randomHappenings } from './random-happenings.ts';
import { runOf } from './runs.ts';

describe('comparisons of random runs', () => {
  const strict = { share: 0, minMs: 0 };

  it('find none with the run itself, also at another time', () => {
    fc.assert(
      fc.property(randomHappenings(), (story) => {
        const containers = ['a', 'b'];
        expect(compareRuns(runOf(story, { containers }), runOf(story, { containers, beginMs: 0 }), strict)).toEqual({
          differences: [],
          manifest: [],
        });
      }),
    );
  });

  it('find the same differences whichever run comes first', () => {
    fc.assert(
      fc.property(randomHappenings(), randomHappenings(), (one, other) => {
        const [a, b] = [runOf(one, { containers: ['a', 'b'] }), runOf(other, { containers: ['a', 'b'] })];
        const keys = (comparison: RunComparison | undefined): string[] | undefined =>
          comparison?.differences
            .filter(({ kind }) => kind !== 'order')
            .map(({ subject, what }) => `${subject} ${what}`)
            .toSorted();
        const keysOfBoth = keys(compareRuns(a, b, strict));
        expect(keysOfBoth).toBeDefined();
        expect(keysOfBoth).toEqual(keys(compareRuns(b, a, strict)));
      }),
    );
  });
});
