import { FloatLiteral } from '../../../api/index.ts';
import { TemplateError } from './nodes.ts';
import { goValueText, sprint, sprintf, goTypeName } from './printf.ts';

/** A template function. Undefined stands for a missing field. */
type TemplateFunction = (args: readonly unknown[]) => unknown;

interface Signature {
  readonly run: TemplateFunction;
  readonly atLeast: number;
  /** Undefined for any number. */
  readonly atMost?: number;
}

/** The functions. Source: Go's text/template/funcs.go; `exists` and `base64decode` are kubectl's own. */
const FUNCTIONS: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['len', { atLeast: 1, atMost: 1, run: ([value]) => lengthOf(value) }],
  ['index', { atLeast: 1, run: ([value, ...keys]) => indexed(value, keys) }],
  ['slice', { atLeast: 1, run: ([value, ...ends]) => sliced(value, ends) }],
  ['not', { atLeast: 1, atMost: 1, run: ([value]) => !isTrue(value) }],
  ['eq', { atLeast: 1, run: ([value, ...others]) => isEqual(value, others) }],
  ['ne', { atLeast: 2, atMost: 2, run: ([a, b]) => !isEqual(a, [b]) }],
  ['lt', { atLeast: 2, atMost: 2, run: ([a, b]) => isLess(a, b) }],
  ['le', { atLeast: 2, atMost: 2, run: ([a, b]) => isLess(a, b) || isEqual(a, [b]) }],
  ['gt', { atLeast: 2, atMost: 2, run: ([a, b]) => !(isLess(a, b) || isEqual(a, [b])) }],
  ['ge', { atLeast: 2, atMost: 2, run: ([a, b]) => !isLess(a, b) }],
  ['print', { atLeast: 0, run: sprint }],
  ['println', { atLeast: 0, run: (args) => `${args.map(goValueText).join(' ')}\n` }],
  ['printf', { atLeast: 1, run: ([format, ...args]) => sprintf(goValueText(format), args) }],
  ['html', { atLeast: 0, run: (args) => escapeHtml(sprint(args)) }],
  ['js', { atLeast: 0, run: (args) => escapeScript(sprint(args)) }],
  ['urlquery', { atLeast: 0, run: (args) => encodeURIComponent(sprint(args)).replaceAll('%20', '+') }],
  ['exists', { atLeast: 1, run: ([value, ...keys]) => exists(value, keys) }],
  ['base64decode', { atLeast: 1, atMost: 1, run: ([text]) => decoded(goValueText(text)) }],
]);

/** True for the name of a function, also for `and` and `or`, which may skip arguments. */
export function isFunction(name: string): boolean {
  return name === 'and' || name === 'or' || FUNCTIONS.has(name);
}

/**
 * Calls a function.
 * @throws {TemplateError} with a message that lacks the function's name
 */
export function callFunction(name: string, args: readonly unknown[]): unknown {
  return FUNCTIONS.get(name)?.run(args);
}

/** The problem with the number of arguments. Undefined when there is none. */
export function argumentProblem(name: string, count: number): string | undefined {
  const { atLeast = 1, atMost } = FUNCTIONS.get(name) ?? {};
  const isOpen = atMost === undefined;
  if (count >= atLeast && (isOpen || count <= atMost)) return undefined;
  return `wrong number of args for ${name}: want ${isOpen ? 'at least ' : ''}${atLeast} got ${count}`;
}

/** True for a value that is not missing, zero or empty. */
export function isTrue(value: unknown): boolean {
  if (value instanceof FloatLiteral) return value.value !== 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function lengthOf(value: unknown): number {
  if (value === undefined) throw new TemplateError('reflect: call of reflect.Value.Type on zero Value');
  if (value === null) throw new TemplateError('len of nil pointer');
  if (typeof value === 'string') return new TextEncoder().encode(value).length;
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && !(value instanceof FloatLiteral)) return Object.keys(value).length;
  throw new TemplateError(`len of type ${goTypeName(value)}`);
}

function indexed(value: unknown, keys: readonly unknown[]): unknown {
  if (value === undefined || (value === null && keys.length > 0)) throw new TemplateError('index of untyped nil');
  return keys.reduce((inside, key) => {
    if (inside === null || inside === undefined) throw new TemplateError('index of nil pointer');
    if (typeof inside === 'string' || Array.isArray(inside)) {
      const items = typeof inside === 'string' ? [...new TextEncoder().encode(inside)] : inside;
      return items[position(key, items.length - 1)];
    }
    if (typeof inside !== 'object' || inside instanceof FloatLiteral) {
      throw new TemplateError(`can't index item of type ${goTypeName(inside)}`);
    }
    if (typeof key !== 'string') throw new TemplateError(`value has type ${goTypeName(key)}; should be string`);
    return fieldOf(inside, key) ?? null;
  }, value);
}

/** The own property of an object. */
export function fieldOf(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** @param last the largest index */
function position(key: unknown, last: number): number {
  if (typeof key !== 'number') {
    const type = key === undefined || key === null ? 'nil' : `type ${goTypeName(key)}`;
    throw new TemplateError(`cannot index slice/array with ${type}`);
  }
  if (key < 0 || key > last) throw new TemplateError(`index out of range: ${key}`);
  return key;
}

function sliced(value: unknown, ends: readonly unknown[]): unknown {
  if (value === undefined || value === null) throw new TemplateError('slice of untyped nil');
  if (typeof value !== 'string' && !Array.isArray(value)) {
    throw new TemplateError(`can't slice item of type ${goTypeName(value)}`);
  }
  const [from = 0, to = value.length] = ends.map((end) => position(end, value.length));
  if (from > to) throw new TemplateError(`invalid slice index: ${from} > ${to}`);
  return value.slice(from, to);
}

function kindOf(value: unknown): string | undefined {
  if (value instanceof FloatLiteral) return 'float';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}

export function bare(value: unknown): unknown {
  return value instanceof FloatLiteral ? value.value : value;
}

function isEqual(value: unknown, others: readonly unknown[]): boolean {
  if (others.length === 0) throw new TemplateError('missing argument for comparison');
  return others.some((other) => {
    const isNothing = [value, other].map((side) => side === null || side === undefined);
    if (isNothing[0] === true || isNothing[1] === true) return isNothing[0] === isNothing[1];
    const [a, b] = [kindOf(value), kindOf(other)];
    if (a !== b) throw new TemplateError('incompatible types for comparison');
    if (a !== undefined) return bare(value) === bare(other);
    throw new TemplateError(`non-comparable type ${goValueText(other)}: ${goTypeName(other)}`);
  });
}

function isLess(a: unknown, b: unknown): boolean {
  const [left, right] = [kindOf(a), kindOf(b)];
  if (left === undefined || right === undefined) throw new TemplateError('invalid type for comparison');
  if (left !== right) throw new TemplateError('incompatible types for comparison');
  if (left === 'boolean') throw new TemplateError('invalid type for comparison');
  return (bare(a) as string | number) < (bare(b) as string | number);
}

function exists(value: unknown, keys: readonly unknown[]): boolean {
  try {
    const element = indexed(value, keys);
    return element !== null && element !== undefined;
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
}

function decoded(text: string): string {
  const wrong = text.search(/[^A-Za-z0-9+/=\r\n]/);
  const plain = text.replaceAll(/[\r\n]/g, '');
  if (wrong >= 0 || plain.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(plain)) {
    const at = wrong >= 0 ? wrong : text.length - (plain.length % 4);
    throw new TemplateError(`base64 decode failed: illegal base64 data at input byte ${at}`);
  }
  return new TextDecoder().decode(Uint8Array.from(atob(plain), (character) => character.charCodeAt(0)));
}

const HTML: Readonly<Record<string, string>> = { '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/["'&<>]/g, (character) => HTML[character] ?? '').replaceAll('\0', '\uFFFD');
}

function escapeScript(text: string): string {
  return text.replaceAll(/[\\'"<>&=]|[^ -~\p{L}\p{N}\p{P}\p{S}]/gu, (character) => {
    if ('\\\'"'.includes(character)) return `\\${character}`;
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
