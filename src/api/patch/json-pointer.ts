import { fieldMap, isJsonObject } from '../base/json.ts';

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

/** An object or a list that may be changed. */
interface Container {
  readonly get: (key: string) => unknown;
  readonly add: (key: string, value: unknown) => void;
  readonly set: (key: string, value: unknown) => void;
  readonly remove: (key: string) => void;
}

/**
 * A document that a patch changes. Each object and list on the way to a change is copied, once: thousands of operations
 * may change the same one. A copy of an object is a Map, because a key may be `__proto__`.
 */
export class JsonDraft {
  #root: unknown;
  readonly #lists = new Set<unknown>();

  constructor(document: unknown) {
    this.#root = document;
  }

  /** The value at a pointer (RFC 6901). The empty pointer is the document. @throws PointerError */
  valueAt(pointer: string): unknown {
    if (pointer === '') return this.#plain(this.#root);
    const steps = stepsOf(pointer);
    const last = steps.pop() ?? '';
    return this.#plain(containerAt(steps.reduce(innerOf, this.#root)).get(last));
  }

  /** Puts another document in the place of this one. */
  replaceAll(document: unknown): void {
    this.#root = document;
  }

  /**
   * Changes the place of a pointer.
   * @throws PointerError, and the errors of `change`
   */
  change(pointer: string, change: (container: Container, key: string) => void): void {
    const steps = stepsOf(pointer);
    const last = steps.pop() ?? '';
    let value = this.#copied(this.#root);
    this.#root = value;
    for (const step of steps) {
      const inner = innerOf(value, step);
      const copy = this.#copied(inner);
      if (copy !== inner) containerAt(value).set(step, copy);
      value = copy;
    }
    change(containerAt(value), last);
  }

  #copied(value: unknown): unknown {
    if (value instanceof Map || this.#lists.has(value)) return value;
    if (isJsonObject(value)) return new Map(fieldMap(value));
    if (!Array.isArray(value)) throw notContainer();
    const copy: unknown[] = [...(value as readonly unknown[])];
    this.#lists.add(copy);
    return copy;
  }

  /** The value without copies that later changes would change. */
  #plain(value: unknown): unknown {
    if (value instanceof Map) {
      return Object.fromEntries([...(value as Map<string, unknown>)].map(([key, inner]) => [key, this.#plain(inner)]));
    }
    return this.#lists.has(value) ? (value as readonly unknown[]).map((item) => this.#plain(item)) : value;
  }
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
  if (value instanceof Map) return objectContainer(value as Map<string, unknown>);
  if (isJsonObject(value)) return objectContainer(fieldMap(value));
  throw notContainer();
}

function notContainer(): PointerError {
  return new PointerError('no way', 'neither an object nor a list');
}

function objectContainer(fields: Map<string, unknown>): Container {
  const existing = (key: string, verb: string): string => {
    if (fields.has(key)) return key;
    throw new PointerError('no key', `unable to ${verb} nonexistent key: ${key}: missing value`);
  };
  const put = (key: string, value: unknown): void => void fields.set(key, value);
  return {
    get: (key) => fields.get(existing(key, 'get')),
    add: put,
    set: put,
    remove: (key) => void fields.delete(existing(key, 'remove')),
  };
}

function listContainer(items: unknown[]): Container {
  const existing = (key: string): number => listIndex(key, items.length);
  return {
    get: (key) => items[existing(key)],
    add: (key, value) => void items.splice(key === '-' ? items.length : listIndex(key, items.length + 1), 0, value),
    set: (key, value) => {
      items[existing(key)] = value;
    },
    remove: (key) => void items.splice(existing(key), 1),
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
