import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { formatSeconds } from '../../../api/index.ts';
import { CONSTRUCTOR } from './check/constructions.ts';

/** The types of the objects that expressions have constructed. */
const types = new WeakMap<object, string>();

/** Adds constructions, and what JSON patches need. Source: apiserver/pkg/cel/library/jsonpatch.go. */
export function addConstructions(environment: Environment): void {
  environment
    .registerFunction(`${CONSTRUCTOR}(string, map): dyn`, (type: string, given: object) => constructed(type, given))
    .registerType('kubernetes.JsonPatch', { ctor: CelJsonPatch, fields: {} })
    .registerConstant('jsonpatch', 'kubernetes.JsonPatch', new CelJsonPatch())
    .registerFunction('kubernetes.JsonPatch.escapeKey(string): string', (all: CelJsonPatch, key: string) =>
      all.escapeKey(key),
    );
}

/** The receiver of the functions of `jsonpatch`. */
class CelJsonPatch {
  escapeKey(key: string): string {
    return key.replaceAll('~', '~0').replaceAll('/', '~1');
  }
}

/** A field behind a question mark has an optional, which may have no value. */
function constructed(type: string, given: object): object {
  const object: Record<string, unknown> = {};
  for (const [name, value] of entriesOf(given)) {
    if (!name.startsWith('?')) object[name] = value;
    else if (value instanceof Optional && value.hasValue()) object[name.slice(1)] = value.value();
  }
  types.set(object, type);
  return object;
}

function entriesOf(map: object): [string, unknown][] {
  return map instanceof Map ? [...(map as Map<string, unknown>)] : Object.entries(map);
}

/** The type that an object was constructed with. Undefined: it is no constructed object. */
export function constructedType(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? types.get(value) : undefined;
}

/**
 * Refuses an object inside another one whose type is not its place: `Object.spec` is the object in `spec`.
 * Source: apiserver/pkg/cel/mutation/common/val.go, CheckTypeNamesMatchFieldPathNames.
 * @throws {TypeError} in the API server's words
 */
export function checkConstructedTypes(value: unknown, place: string): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) checkConstructedTypes(item, place);
    return;
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  const type = constructedType(value);
  if (type !== undefined && type !== place) {
    const wanted = `expected ${JSON.stringify(place)}, which matches field name path from root Object type`;
    throw new TypeError(`type mismatch: unexpected type name ${JSON.stringify(type)}, ${wanted}`);
  }
  for (const [name, field] of entriesOf(value)) {
    checkConstructedTypes(field, type === undefined ? place : `${place}.${name}`);
  }
}

const NOT_JSON = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON';

/**
 * The value of an expression as JSON.
 * @throws {TypeError} for a value that JSON does not have
 */
export function jsonOfCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof UnsignedInt) return Number(value.valueOf());
  if (value instanceof Date) return formatSeconds(value.getTime());
  if (value instanceof Duration) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Optional) return value.hasValue() ? jsonOfCel(value.value()) : null;
  if (Array.isArray(value)) return value.map(jsonOfCel);
  if (typeof value !== 'object' || value === null) return value;
  const isPlain = value instanceof Map || [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
  if (!isPlain) throw new TypeError(NOT_JSON);
  return Object.fromEntries(entriesOf(value).map(([name, field]) => [name, jsonOfCel(field)]));
}
