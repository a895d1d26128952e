import { describe, expect, it } from 'vitest';
import { fitted, type Fields, linesOf } from './objects.ts';

/** The mistakes of an object, as lines. */
export const mistakesOf = (apiVersion: string, kind: string, fields: Fields, name = 'demo'): string[] =>
  linesOf({ apiVersion, kind, metadata: { name }, ...fields });

interface Case {
  readonly why: string;
  readonly spec: Fields;
  readonly want: readonly (string | RegExp)[];
}

/** A table of specs of one kind, each with its mistakes. The words are those of a real API server. */
export function table(apiVersion: string, kind: string, valid: Fields, cases: readonly Case[], name?: string): void {
  describe(kind, () => {
    it('is valid', () => {
      expect(mistakesOf(apiVersion, kind, { spec: valid }, name)).toEqual([]);
    });

    it.each(cases)('$why', ({ spec, want }) => {
      expect(fitted(mistakesOf(apiVersion, kind, { spec: { ...valid, ...spec } }, name), want)).toEqual(want);
    });
  });
}
