import { fieldMap, isJsonObject } from '../json.ts';

/**
 * The error of a pointer that leads nowhere, in the words of github.com/evanphx/json-patch, as the API server has it.
 */
export class PointerError extends Error {
  /**
   * `no way`: the container of the place does not exist. `no key`: the object has no such field. `no index`: the list
   * has no such item.
   */
  readonly trouble: 'no way' | 'no key' | 'no index';

  constructor(trouble: PointerError['trouble'], message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** An object or a list. Changes return a changed copy. */
interface Container {
  readonly get: (key: string) => unknown;
  readonly add: (key: string, value: unknown) => unknown;
  readonly set: (key: string, value: unknown) => unknown;
  readonly remove: (key: string) => unknown;
}

/**
 * Changes the place of a pointer (RFC 6901) and returns the whole document.
 * @throws PointerError, and the errors of `change`
 */
export function changeAt(
  document: unknown,
  pointer: string,
  change: (container: Container, key: string) => unknown,
): unknown {
  return changeBelow(document, stepsOf(pointer), change);
}

/** The value at a pointer. The empty pointer is the document. @throws PointerError */
export function valueAt(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  const steps = stepsOf(pointer);
  const last = steps.pop() ?? '';
  return containerAt(steps.reduce(innerOf, document)).get(last);
}

function changeBelow(
  value: unknown,
  [step = '', ...rest]: readonly string[],
  change: (container: Container, key: string) => unknown,
): unknown {
  const container = containerAt(value);
  if (rest.length === 0) return change(container, step);
  return container.set(step, changeBelow(innerOf(value, step), rest, change));
}

function stepsOf(pointer: string): string[] {
  const [, ...steps] = pointer.split('/');
  if (steps.length === 0) throw new PointerError('no way', 'not a pointer');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function innerOf(value: unknown, step: string): unknown {
  const container = containerAt(value);
  try {
    return container.get(step);
  } catch (error) {
    throw error instanceof PointerError ? new PointerError('no way', error.message) : error;
  }
}

function containerAt(value: unknown): Container {
  if (Array.isArray(value)) return listContainer(value);
  if (isJsonObject(value)) return objectContainer(fieldMap(value));
  throw new PointerError('no way', 'neither an object nor a list');
}

function objectContainer(fields: ReadonlyMap<string, unknown>): Container {
  const put = (key: string, value: unknown): unknown => Object.fromEntries([...fields, [key, value]]);
  const existing = (key: string, verb: string): string => {
    if (fields.has(key)) return key;
    throw new PointerError('no key', `unable to ${verb} nonexistent key: ${key}: missing value`);
  };
  return {
    get: (key) => fields.get(existing(key, 'get')),
    add: put,
    set: put,
    remove: (key) => {
      const gone = existing(key, 'remove');
      return Object.fromEntries([...fields].filter(([field]) => field !== gone));
    },
  };
}

function listContainer(items: readonly unknown[]): Container {
  const existing = (key: string): number => listIndex(key, items.length);
  return {
    get: (key) => items[existing(key)],
    add: (key, value) => items.toSpliced(key === '-' ? items.length : listIndex(key, items.length + 1), 0, value),
    set: (key, value) => items.with(existing(key), value),
    remove: (key) => items.toSpliced(existing(key), 1),
  };
}

/** Parses an index. A negative index counts from the end, unlike in RFC 6902. */
function listIndex(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) {
    throw new PointerError('no index', `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
  }
  const index = Number(key);
  if (index < length && index >= -length) return index < 0 ? index + length : index;
  throw new PointerError('no index', `Unable to access invalid index: ${index}: invalid index referenced`);
}
