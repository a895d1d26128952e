import { EXIT, PodrunError } from './errors.ts';

/** What a path finds in an object; empty where there is nothing. */
export type JsonPath = (root: unknown) => unknown[];

/** One step further in: from a value that was reached to those that are wanted. */
type Step = (value: unknown) => unknown[];

/** The steps that a path may have. Those that cannot be read are undefined. */
const STEPS: ReadonlyArray<{ readonly pattern: RegExp; readonly step: (...parts: string[]) => Step | undefined }> = [
  { pattern: /\.?\[\?\((.*?)\)\]/y, step: (condition = '') => filterStep(condition) },
  { pattern: /\.?\[\s*(-?\d+)\s*\]/y, step: (index) => indexStep(Number(index)) },
  { pattern: /\.?\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/y, step: (single, double) => fieldStep(single ?? double ?? '') },
  { pattern: /\.?\[\s*\*\s*\]|\.\*/y, step: () => childrenOf },
  { pattern: /\.((?:\\.|[^.[\]{}()\s\\])+)/y, step: (name = '') => fieldStep(name.replaceAll(/\\(.)/g, '$1')) },
];

/**
 * Reads one path of kubectl's JSONPath, with or without the braces and the dot in front: `{.status.phase}`,
 * `.spec.containers[0].image`, `status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a.b/c']`. Templates
 * with several expressions, slices, unions and `..` are not read.
 * Source: client-go/util/jsonpath, kubectl RelaxedJSONPathExpression.
 * @throws {PodrunError} (usage) when it is no such path
 */
export function parseJsonPath(text: string): JsonPath {
  const inner = /^\{([^{}]*)\}$/s.exec(text.trim())?.[1] ?? text;
  const path = inner.trim().replace(/^[$@]/, '');
  const steps = parseSteps(/^[.[]/.test(path) ? path : `.${path}`);
  if (steps === undefined) {
    throw new PodrunError(`error: invalid JSONPath ${JSON.stringify(text)}`, {
      exitCode: EXIT.usage,
      hint: 'Write a path as {.status.phase} or {.status.conditions[?(@.type=="Ready")].status}.',
    });
  }
  return (root) => take(steps, root);
}

/** A text, number, truth value or null as Go prints it; undefined for objects and lists. */
export function plainText(value: unknown): string | undefined {
  if (value === null) return '<nil>';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : undefined;
}

/** Undefined when there is something in the path that is no step. */
function parseSteps(path: string): Step[] | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < path.length) {
    const found = nextStep(path, at);
    if (found?.step === undefined) return undefined;
    steps.push(found.step);
    at = found.end;
  }
  return steps;
}

function nextStep(path: string, at: number): { step: Step | undefined; end: number } | undefined {
  for (const { pattern, step } of STEPS) {
    pattern.lastIndex = at;
    const match = pattern.exec(path);
    const end = pattern.lastIndex;
    if (match !== null) return { step: step(...match.slice(1)), end };
  }
  return undefined;
}

function take(steps: readonly Step[], root: unknown): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap(step), [root]);
}

function fieldStep(name: string): Step {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
    return [(value as Readonly<Record<string, unknown>>)[name]];
  };
}

/** Negative numbers count from the end. */
function indexStep(index: number): Step {
  return (value) => (Array.isArray(value) ? value.slice(index, index === -1 ? undefined : index + 1) : []);
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** `@.type=="Ready"`, `@.restartCount!=0`; or `@.started` for whatever has such a field. */
function filterStep(condition: string): Step | undefined {
  const match = /^\s*@(.*?)\s*(?:(==|!=)\s*(.*?)\s*)?$/s.exec(condition);
  if (match === null) return undefined;
  const [, path = '', operator, wanted = ''] = match;
  const steps = parseSteps(path);
  if (steps === undefined) return undefined;
  const literal = wanted.replace(/^'(.*)'$|^"(.*)"$/s, '$1$2');
  return (value) =>
    childrenOf(value).filter((item) => {
      const [found] = take(steps, item);
      if (operator === undefined || found === undefined) return found !== undefined;
      return (plainText(found) === literal) === (operator === '==');
    });
}
