import type { KubeObject } from '../../api/objects.ts';
import type { FieldError } from '../field-error.ts';
import { forbidden } from '../field-error.ts';
import { podIn } from '../pod-specs.ts';
import { child, entry, item } from './path.ts';
import { REFUSED, UNENFORCED } from './support-table.ts';

/** A field that podrun takes and does not enforce, with the reason for the event about it. */
export interface UnenforcedField {
  readonly path: string;
  readonly note: string;
  readonly isSafety: boolean;
}

interface Found {
  readonly path: string;
  readonly value: unknown;
  readonly parent: Readonly<Record<string, unknown>>;
  readonly name: string;
}

const NO_PARENT: Readonly<Record<string, unknown>> = {};

/**
 * What this runner cannot do and refuses to run without. A stage of its own, after validation: a cluster would take
 * the object.
 */
export function unsupportedFields(object: KubeObject): FieldError[] {
  return REFUSED.flatMap(({ field, isFine, reason }) =>
    findInPod(object, field)
      .filter(({ value }) => isFine?.(value) !== true)
      .map(({ path, value }) => forbidden(path, `not supported by this runner: ${reason(value)}`)),
  );
}

/** Every field with a value that has no effect here: one event each, an error each under --strict. */
export function unenforcedFields(object: KubeObject): UnenforcedField[] {
  return UNENFORCED.flatMap(({ field, isHarmless, note, isSafety = false }) =>
    findInPod(object, field)
      .filter(({ value, parent, name }) => isHarmless?.(value, parent, name) !== true)
      .map(({ path }) => ({ path, note, isSafety })),
  );
}

/** Paths of the fields that people rely on to be kept safe and that nobody enforces here: one warning for all. */
export function notEnforced(object: KubeObject): string[] {
  return unenforcedFields(object)
    .filter(({ isSafety }) => isSafety)
    .map(({ path }) => path);
}

function findInPod(object: KubeObject, field: string): Found[] {
  const found = podIn(object);
  if (found === undefined) return [];
  const root = { path: child(found.path, 'spec'), value: found.pod.spec, parent: NO_PARENT, name: 'spec' };
  const steps = field.split('.');
  return steps.reduce<Found[]>((places, step) => places.flatMap((place) => follow(place, step)), [root]);
}

/** `field`, `list[]` or `map{}`: the values below a place; empty ones are as good as none. */
function follow({ path, value }: Found, step: string): Found[] {
  if (!isRecord(value)) return [];
  const [name = ''] = step.split(/[[{]/);
  const inner = value[name];
  if (isEmpty(inner)) return [];
  const at = child(path, name);
  if (step.endsWith('[]')) {
    return Array.isArray(inner)
      ? inner.map((one: unknown, index) => ({ path: item(at, index), value: one, parent: value, name }))
      : [];
  }
  if (step.endsWith('{}')) {
    const entries = isRecord(inner) ? Object.entries(inner) : [];
    return entries.map(([key, one]) => ({
      path: entry(at, key),
      value: one,
      parent: inner as Found['parent'],
      name: key,
    }));
  }
  return [{ path: at, value: inner, parent: value, name }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
