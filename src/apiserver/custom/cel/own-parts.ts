import { Optional, type ASTNode } from '@marcbachmann/cel-js';
import { DURATION_FUNCTION } from './conversions.ts';
import { PATTERN_FUNCTION } from './linear-patterns.ts';

/** The part of the package that evaluates. */
interface Evaluator {
  run: (node: unknown, context: unknown) => unknown;
}

/** The part of the package that checks types. */
interface TypeChecker {
  check: (node: unknown, context: unknown) => unknown;
  getType: (name: string) => unknown;
}

/** The functions of the package that podrun has its own for. */
const OWN: Readonly<Record<string, string>> = { matches: PATTERN_FUNCTION, duration: DURATION_FUNCTION };

/** The name of a function as the expression has it. */
export function givenName(name: string): string {
  return Object.keys(OWN).find((given) => OWN[given] === name) ?? name;
}

/** Lets an expression use podrun's functions in the place of the package's. */
export function useOwnParts(value: unknown): void {
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) useOwnParts(one);
    return;
  }
  if (typeof value !== 'object' || value === null || !('op' in value)) return;
  const { op, args } = value as { readonly op: unknown; readonly args: unknown };
  if ((op === 'call' || op === 'rcall') && Array.isArray(args)) {
    const name = String(args[0]);
    if (Object.hasOwn(OWN, name)) args[0] = OWN[name];
  }
  if (op === 'call' && Array.isArray(args) && args[0] === 'has') useOwnHas(value as ASTNode & { readonly op: 'call' });
  if (op === '||' || op === '&&') setMeta(value, 'evaluate', evaluateSides);
  useOwnParts(args);
}

/** The package's `has` takes names and dots only: `has(a.b)`, not `has(a[0].b)`. */
function useOwnHas(node: ASTNode & { readonly op: 'call' }): void {
  const [field] = node.args[1];
  if (field?.op !== '.') return;
  const [object, name] = field.args;
  const macro = {
    object,
    typeCheck: (checker: TypeChecker, _: unknown, context: unknown) => {
      checker.check(object, context);
      return checker.getType('bool');
    },
    evaluate: (evaluator: Evaluator, _: unknown, context: unknown) => hasField(evaluator.run(object, context), name),
  };
  setMeta(node, 'macro', macro);
}

function setMeta(node: unknown, key: string, value: unknown): void {
  (node as { setMeta: (key: string, value: unknown) => void }).setMeta(key, value);
}

/**
 * Evaluates `||` and `&&`: a side that decides hides an error of the second side. Of two errors the first counts; in
 * the package it is the last. Source: cel-go, interpreter/interpretable.go, evalOr and evalAnd.
 */
function evaluateSides(evaluator: Evaluator, node: ASTNode & { readonly op: '||' | '&&' }, context: unknown): boolean {
  const isDecisive = node.op === '||';
  let failure: { readonly error: unknown } | undefined;
  for (const side of node.args) {
    try {
      const value = evaluator.run(side, context);
      if (value === isDecisive) return isDecisive;
      if (typeof value !== 'boolean') failure ??= { error: new TypeError('no such overload') };
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return !isDecisive;
}

function hasField(value: unknown, name: string): boolean {
  if (value instanceof Optional) return value.hasValue() && hasField(value.value(), name);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no such overload');
  return Object.hasOwn(value, name) && (value as Record<string, unknown>)[name] !== undefined;
}
