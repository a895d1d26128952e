import { badRequest, serverError, goValue } from './errors.ts';
import { fieldMap, isJsonObject, type JsonObject } from '../base/json.ts';

/**
 * The directives of a strategic merge patch.
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';

/** An object of a patch without its directives. */
export interface ReadPatch {
  /** The values, nulls included. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The fields that the object keeps. Undefined: all. */
  readonly retained: ReadonlySet<unknown> | undefined;
  /** The order of lists, by field: plain values, or objects with the merge key. */
  readonly orders: ReadonlyMap<string, readonly unknown[]>;
  /** The values to remove from lists of plain values, by field. */
  readonly deletions: ReadonlyMap<string, readonly unknown[]>;
}

/** @throws PodrunError for a malformed directive */
export function readDirectives(patch: JsonObject): ReadPatch {
  const values = fieldMap(patch);
  const orders = new Map<string, readonly unknown[]>();
  const deletions = new Map<string, readonly unknown[]>();
  for (const [key, value] of fieldMap(patch)) {
    if (key.startsWith(SET_ORDER)) {
      orders.set(key.slice(SET_ORDER.length), asList(value, 'invalid patch format of setElementOrder list'));
    } else if (key.startsWith(DELETE_VALUES)) {
      deletions.set(key.slice(DELETE_VALUES.length), asList(value, 'invalid patch format of primitive list'));
    } else continue;
    values.delete(key);
  }
  const retainKeys = values.get(RETAIN_KEYS);
  if (retainKeys === undefined) return { values, retained: undefined, orders, deletions };
  values.delete(RETAIN_KEYS);
  const retained = new Set(asList(retainKeys, RETAIN_KEYS_FORMAT));
  const isLost = ([key, value]: [string, unknown]): boolean => value !== null && !retained.has(key);
  if ([...values].some(isLost)) throw badRequest(RETAIN_KEYS_FORMAT);
  return { values, retained, orders, deletions };
}

const RETAIN_KEYS_FORMAT = 'invalid patch format of retainKeys';

function asList(value: unknown, complaint: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw badRequest(complaint);
}

/** The error of `$patch: x` with an unknown x. */
export function unknownDirective(patch: JsonObject): Error {
  return serverError(`unknown patch type: ${goValue(patch[PATCH])} in map: ${goValue(patch)}`);
}

/** A new value without nulls, which would delete nothing, and without directives. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isDeleted(item)).map(withoutDirectives);
  if (!isJsonObject(value)) return value;
  const entries = [...fieldMap(value)].filter(
    ([key, entry]) => entry !== null && !isDirective(key) && !isDeleted(entry),
  );
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutDirectives(entry)]));
}

/** True for an object whose directive is `delete`. */
export function isDeleted(value: unknown): boolean {
  return isJsonObject(value) && value[PATCH] === 'delete';
}

function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(SET_ORDER) || key.startsWith(DELETE_VALUES);
}
