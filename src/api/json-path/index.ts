import { EXIT, PodrunError } from '../errors.ts';
import { findResults } from './evaluate.ts';
import { JsonPathError } from './nodes.ts';
import { parseTemplate } from './parse-template.ts';

export { findResults, type FindOptions } from './evaluate.ts';
export { FloatLiteral, JsonPathError, type PathNode } from './nodes.ts';
export { parseTemplate } from './parse-template.ts';

/** What a path finds in an object; empty where there is nothing. Throws a PodrunError when it makes no sense there. */
export type JsonPath = (root: unknown) => unknown[];

/**
 * Reads one path, with or without the braces and the dot in front: `{.status.phase}`, `.spec.containers[0].image`,
 * `status.conditions[?(@.type=="Ready")].status`.
 * @throws {PodrunError} (usage) when it is no such path
 */
export function parseJsonPath(text: string): JsonPath {
  const template = orUsage(() => parseTemplate(relaxedPath(text)));
  return (root) => {
    try {
      return findResults(template, root, { allowMissingKeys: true }).flat();
    } catch (error) {
      if (error instanceof JsonPathError) throw new PodrunError(`error: ${error.message}`);
      throw error;
    }
  };
}

/**
 * A path that may lack its braces and its first dot, with both. Source: kubectl's RelaxedJSONPathExpression; beyond it,
 * paths that begin with `$`, `@`, a blank or a bracket are left as they are.
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

/** A text, number, truth value or null as Go prints it; undefined for objects and lists. */
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
    throw new PodrunError(`error: ${error.message}`, {
      exitCode: EXIT.usage,
      hint: 'Write a path as {.status.phase} or {.status.conditions[?(@.type=="Ready")].status}.',
    });
  }
}
