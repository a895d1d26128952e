import { goText, goType, sorted } from '../go/go-text.ts';
import { compare } from './compare.ts';
import { FloatLiteral, JsonPathError, type PathList, type PathNode } from './nodes.ts';

/**
 * Finds the values of each part of a template in an object, one list per part. The parts between `range` and `end`
 * appear once for each value of the range. Source: client-go/util/jsonpath/jsonpath.go.
 * @throws {JsonPathError}
 */
export function findResults(template: readonly PathNode[], root: unknown, options: FindOptions): unknown[][] {
  return new Finder(options).find(template, root);
}

export interface FindOptions {
  /** True: a missing field has no values. False: a missing field is an error. */
  readonly allowMissingKeys: boolean;
}

const NOT_FOUND = ' is not found';

class Finder {
  readonly #options: FindOptions;
  #rangeBegins = 0;
  #rangesOpen = 0;
  #rangeEnds = 0;
  #lastEnd: PathNode | undefined;

  constructor(options: FindOptions) {
    this.#options = options;
  }

  find(nodes: readonly PathNode[], root: unknown): unknown[][] {
    const lists: unknown[][] = [];
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index] as PathNode;
      const results = this.#walk([root], node);
      if (this.#rangeEnds > 0 && this.#rangeEnds <= this.#rangesOpen) {
        this.#rangeEnds -= 1;
        this.#lastEnd = node;
        break;
      }
      if (this.#rangeBegins === 0) {
        lists.push(results);
        continue;
      }
      this.#rangeBegins -= 1;
      this.#rangesOpen += 1;
      const inside = nodes.slice(index + 1);
      for (const value of results) lists.push(...this.find(inside, value));
      // Find the end of an empty range, too.
      if (results.length === 0) this.find(inside, undefined);
      this.#rangesOpen -= 1;
      const end = nodes.findIndex((later, at) => at > index && later === this.#lastEnd);
      if (end > 0) index = end;
    }
    return lists;
  }

  #walk(input: readonly unknown[], node: PathNode): unknown[] {
    switch (node.type) {
      case 'list':
        return this.#list(input, node);
      case 'text':
        return [node.text];
      case 'field':
        return this.#field(input, node.name);
      case 'word':
        return this.#word(input, node.word);
      case 'slice':
        return input.filter(isThere).flatMap((value) => takeSlice(value, node));
      case 'filter':
        return input.flatMap((value) => this.#filter(value, node));
      case 'number':
      case 'bool':
        return input.map(() => node.value);
      case 'wildcard':
        return input.flatMap(children);
      case 'recursive':
        return input.flatMap(descend);
      case 'union':
        return node.lists.flatMap((list) => this.#list(input, list));
      default:
        return node satisfies never;
    }
  }

  #list(input: readonly unknown[], { nodes }: PathList): unknown[] {
    return nodes.reduce<unknown[]>((values, node) => this.#walk(values, node), [...input]);
  }

  #field(input: readonly unknown[], name: string): unknown[] {
    if (input.length === 0) return [];
    const values = input.flatMap((value) => (hasField(value, name) ? [value[name]] : []));
    if (values.length === 0 && !this.#options.allowMissingKeys) throw new JsonPathError(`${name}${NOT_FOUND}`);
    return values;
  }

  #word(input: readonly unknown[], word: string): unknown[] {
    if (word === 'range') {
      this.#rangeBegins += 1;
      return [...input];
    }
    if (word !== 'end') throw new JsonPathError(`unrecognized identifier ${word}`);
    if (this.#rangesOpen === 0) throw new JsonPathError('not in range, nothing to end');
    this.#rangeEnds += 1;
    return [];
  }

  #filter(list: unknown, { left, right, operator }: PathNode & { type: 'filter' }): unknown[] {
    if (!Array.isArray(list)) throw new JsonPathError(`${goText(list)} is not array or slice and cannot be filtered`);
    return list.filter((item) => {
      if (operator === 'exists') return this.#exists(item, left);
      const [lefts, rights] = [this.#list([item], left), this.#list([item], right)];
      if (lefts.length === 0 || rights.length === 0) return false;
      if (lefts.length > 1 || rights.length > 1) throw new JsonPathError('can only compare one element at a time');
      return compare(lefts[0], operator, rights[0]);
    });
  }

  /** True when a path has a value. Like kubectl, also true after any error but a missing field. */
  #exists(item: unknown, path: PathList): boolean {
    try {
      return this.#list([item], path).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return !error.message.endsWith(NOT_FOUND);
      throw error;
    }
  }
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function hasField(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return false;
  return (value as Readonly<Record<string, unknown>>)[name] !== undefined;
}

function takeSlice(list: unknown, { from, to, step }: PathNode & { type: 'slice' }): unknown[] {
  if (!Array.isArray(list)) throw new JsonPathError(`${goType(list)} is not array or slice`);
  const { length } = list;
  const begin = (from.value ?? 0) < 0 ? (from.value ?? 0) + length : (from.value ?? 0);
  const wanted = to.value ?? length;
  const end = wanted < 0 || (wanted === 0 && to.derived === true) ? wanted + length : wanted;
  if (begin === end) return [];
  if (begin < 0 || begin >= length) throw outOfBounds(begin, length);
  if (end < 0 || end > length) throw outOfBounds(end - 1, length);
  if (begin > end) throw new JsonPathError(`starting index ${begin} is greater than ending index ${end}`);
  const stride = step.value ?? 1;
  if (stride <= 0) throw new JsonPathError('step must be > 0');
  return list.slice(begin, end).filter((_item, index) => index % stride === 0);
}

function outOfBounds(index: number, length: number): JsonPathError {
  return new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);
}

/** The children of a value. Like Go, an object is sorted by key, and a text consists of bytes. */
function children(value: unknown): unknown[] {
  if (value instanceof FloatLiteral) return [];
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...new TextEncoder().encode(value)];
  return typeof value === 'object' && value !== null ? sorted(value).map(([, item]) => item) : [];
}

/** The value and all its descendants that have children. */
function descend(value: unknown): unknown[] {
  const inside = children(value);
  return inside.length === 0 ? [] : [value, ...inside.flatMap(descend)];
}
