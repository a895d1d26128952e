/**
 * Sets defaults in a copy of an object. Go has two kinds of unset fields: a pointer field is unset only when it is
 * absent, a plain field also when it is "" or 0.
 */

/** Functions that change the values of fields of `T`. */
type Changes<T> = { [Field in keyof T]?: (value: NonNullable<T[Field]>) => T[Field] };

function fill<T extends object>(object: T, defaults: Partial<T>, isUnset: (value: unknown) => boolean): T {
  const filled = { ...object } as Record<string, unknown>;
  for (const [field, value] of Object.entries(defaults)) {
    if (value !== undefined && isUnset(filled[field])) filled[field] = value;
  }
  // The loop above reads and writes only fields of T.
  return filled as T;
}

/** Sets the fields that are absent. */
export function fillAbsent<T extends object>(object: T, defaults: Partial<T>): T {
  return fill(object, defaults, (value) => value === undefined);
}

/** Sets the fields that are absent, "" or 0. */
export function fillZero<T extends object>(object: T, defaults: Partial<T>): T {
  return fill(object, defaults, (value) => value === undefined || value === '' || value === 0);
}

/** Changes the fields that are present. */
export function changeFields<T extends object>(object: T, changes: Changes<T>): T {
  const changed = { ...object } as Record<string, unknown>;
  for (const [field, change] of Object.entries(changes) as [string, (value: unknown) => unknown][]) {
    if (changed[field] !== undefined) changed[field] = change(changed[field]);
  }
  return changed as T;
}

/** Copies the object without some of its fields. */
export function omit<T extends object>(object: T, fields: readonly (keyof T)[]): T {
  const rest: Partial<T> = { ...object };
  for (const field of fields) delete rest[field];
  return rest as T;
}
