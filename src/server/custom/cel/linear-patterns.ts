import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { fitsPattern, foundBy } from '../patterns.ts';

/** The package has a function `matches` of its own, whose patterns may take for ever. */
const OWN_NAME = 'matchesPattern';

/** Adds the functions with patterns. */
export function addPatternLibrary(environment: Environment): void {
  environment
    .registerFunction(`string.${OWN_NAME}(string): bool`, (text: string, pattern: string) => fitsPattern(pattern, text))
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

/** Lets an expression call podrun's function in the place of `matches`. */
export function useOwnPatterns(node: ASTNode): void {
  visit(node);
}

function visit(value: unknown): void {
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) visit(one);
    return;
  }
  if (typeof value !== 'object' || value === null || !('op' in value)) return;
  const { op, args } = value as { readonly op: unknown; readonly args: unknown };
  if (op === 'rcall' && Array.isArray(args) && args[0] === 'matches') args[0] = OWN_NAME;
  visit(args);
}
