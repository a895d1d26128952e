import { PodrunError, usage } from '../base/errors.ts';
import { findResults } from './evaluate.ts';
import { JsonPathError } from './nodes.ts';
import { parseTemplate } from './parse-template.ts';

export { findResults, type FindOptions } from './evaluate.ts';
export { FloatLiteral, JsonPathError, type PathNode } from './nodes.ts';
export { parseTemplate } from './parse-template.ts';

/**
 * Finds the values of a path in an object. Empty: there are none. Throws a PodrunError when the path does not fit the
 * object.
 */
export type JsonPath = (root: unknown) => unknown[];

/**
 * Parses one path, with or without braces and the first dot: `{.status.phase}`, `.spec.containers[0].image`,
 * `status.conditions[?(@.type=="Ready")].status`.
 * @throws {PodrunError} (usage) when the text is no path
 */
export function parseJsonPath(text: string): JsonPath {
  const template = orUsage(() => parseTemplate(relaxedPath(text)));
  return (root) => {
    try {
      return findResults(template, root, { allowMissingKeys: true }).flat();
    } catch (error) {
      if (error instanceof JsonPathError) throw new PodrunError('BadRequest', error.message);
      throw error;
    }
  };
}

/**
 * Adds missing braces and a missing first dot to a path. Source: kubectl's RelaxedJSONPathExpression. Unlike kubectl,
 * leaves paths that begin with `$`, `@`, a blank or a bracket unchanged.
 * @throws {JsonPathError}
 */
export function relaxedPath(text: string): string {
  const inner = /^\{([^{}]+)\}$/.exec(text)?.[1] ?? /^[^{}]+$/.exec(text)?.[0];
  if (inner === undefined) {
    const shapes = "'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";
    throw new JsonPathError(`unexpected path string, expected a ${shapes}`);
  }
  return /^[$@[. ]/.test(inner) ? `{${inner}}` : `{.${inner}}`;
}

/** Formats a text, number, boolean or null as Go does. Undefined for objects and lists. */
export function plainText(value: unknown): string | undefined {
  if (value === null) return '<nil>';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function orUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw usage(error.message, 'Write a path as {.status.phase} or {.status.conditions[?(@.type=="Ready")].status}.');
  }
}
