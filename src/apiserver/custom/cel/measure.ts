import { Optional } from '@marcbachmann/cel-js';
import type { Sized } from './check/costs.ts';

/** The sizes of lists and objects, which take a time to find out and do not change while rules look at them. */
const weights = new WeakMap<object, number>();

/** The characters, bytes or items of a value; 1 for a scalar. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return isPlain(value) ? Object.keys(value).length : 1;
}

/** The characters, bytes and scalars of all that is in a value. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof Optional) return value.hasValue() ? weightOf(value.value()) : 1;
  if (!Array.isArray(value) && !isPlain(value)) return 1;
  let weight = weights.get(value);
  if (weight === undefined) {
    weight = 1;
    for (const part of Object.values(value)) weight += weightOf(part);
    weights.set(value, weight);
  }
  return weight;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A value as costs see it. */
export function sizedValue(value: unknown): Sized {
  if (!Array.isArray(value)) return { size: sizeOfValue(value) };
  const size = value.length;
  const weight = weightOf(value) - 1;
  return { size, isList: true, itemSize: weight > size ? weight / size : undefined };
}
