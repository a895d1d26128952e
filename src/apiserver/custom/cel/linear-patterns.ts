import type { Environment } from '@marcbachmann/cel-js';
import { fitsPattern, foundBy } from '../base/patterns.ts';

/** The package has a function `matches` of its own, whose patterns may take for ever. */
export const PATTERN_FUNCTION = 'matchesPattern';

/** Adds the functions with patterns. */
export function addPatternLibrary(environment: Environment): void {
  const fits = (text: string, pattern: string): boolean => fitsPattern(pattern, text);
  environment
    .registerFunction(`string.${PATTERN_FUNCTION}(string): bool`, fits)
    .registerFunction(`${PATTERN_FUNCTION}(string, string): bool`, fits)
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      const [first = ''] = foundBy(pattern, text);
      return first;
    })
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => [
      ...foundBy(pattern, text),
    ])
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, most: bigint) => {
      const all = [...foundBy(pattern, text)];
      return most < 0n ? all : all.slice(0, Number(most));
    });
}
