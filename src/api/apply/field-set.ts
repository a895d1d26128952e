import { isJsonObject, type JsonObject, setField } from '../base/json.ts';

/** The key in FieldsV1 for the object itself, beside the keys of its fields. */
const ITSELF = '.';
/** The value in FieldsV1 of an element with nothing below it. A set may have hundreds of thousands of them. */
const ALONE: JsonObject = Object.freeze({});

/**
 * A set of fields of an object, in the form of `FieldsV1`: a tree of path elements. An element is `f:NAME` for a field,
 * `k:{"name":"web"}` for the item of a list with keys, `v:"x"` for a value of a set. Source:
 * sigs.k8s.io/structured-merge-diff, fieldpath.Set.
 */
export class FieldSet {
  readonly #members: Set<string>;
  readonly #children = new Map<string, FieldSet>();

  constructor(members: Iterable<string> = [], children: Iterable<readonly [string, FieldSet]> = []) {
    this.#members = new Set(members);
    for (const [element, child] of children) if (!child.isEmpty) this.#children.set(element, child);
  }

  /** Reads `fieldsV1`. Anything that is no object has no fields. */
  static fromFieldsV1(value: unknown): FieldSet {
    const fields = isJsonObject(value) ? value : ALONE;
    const elements = Object.keys(fields);
    if (elements.length === 0) return NOTHING;
    const members: string[] = [];
    const children: [string, FieldSet][] = [];
    for (const element of elements) {
      if (element === ITSELF) continue;
      const below = fields[element];
      const inner = FieldSet.fromFieldsV1(below);
      if (inner.isEmpty || !isJsonObject(below) || Object.hasOwn(below, ITSELF)) members.push(element);
      if (!inner.isEmpty) children.push([element, inner]);
    }
    return members.length + children.length === 0 ? NOTHING : new FieldSet(members, children);
  }

  /** The set of these paths. */
  static of(...paths: readonly (readonly string[])[]): FieldSet {
    return FieldSet.ofPaths(paths);
  }

  /**
   * The set of these paths, in a time that grows with their number: an object may have tens of thousands.
   * @param depth the elements of the paths that are left out
   */
  static ofPaths(paths: readonly (readonly string[])[], depth = 0): FieldSet {
    const members: string[] = [];
    const below = new Map<string, (readonly string[])[]>();
    for (const path of paths) {
      const [element = ''] = path.slice(depth, depth + 1);
      const known = below.get(element);
      if (path.length === depth + 1) members.push(element);
      else if (known === undefined) below.set(element, [path]);
      else known.push(path);
    }
    return new FieldSet(
      members,
      [...below].map(([element, inner]) => [element, FieldSet.ofPaths(inner, depth + 1)]),
    );
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  has(element: string): boolean {
    return this.#members.has(element);
  }

  /** The fields below an element. */
  below(element: string): FieldSet {
    return this.#children.get(element) ?? NOTHING;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const elements = new Set([...this.#children.keys(), ...other.#children.keys()]);
    return new FieldSet(
      [...this.#members, ...other.#members],
      [...elements].map((element) => [element, this.below(element).union(other.below(element))]),
    );
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return NOTHING;
    return new FieldSet(
      [...this.#members].filter((element) => other.has(element)),
      [...this.#children].map(([element, child]) => [element, child.intersection(other.below(element))]),
    );
  }

  /** The fields of this set that the other lacks. A member of the other does not cover the fields below it. */
  difference(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return new FieldSet(
      [...this.#members].filter((element) => !other.has(element)),
      [...this.#children].map(([element, child]) => [element, child.difference(other.below(element))]),
    );
  }

  /** The fields of this set that are neither in the other nor below one of its members. */
  without(other: FieldSet): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    return new FieldSet(
      [...this.#members].filter((element) => !other.has(element)),
      [...this.#children].flatMap(([element, child]) =>
        other.has(element) ? [] : [[element, child.without(other.below(element))]],
      ),
    );
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /**
   * This set with more members: each element with fields below it that `isNamed` accepts.
   * @param isNamed gets the path of the element
   */
  withParents(isNamed: (path: readonly string[]) => boolean, at: readonly string[] = []): FieldSet {
    if (this.#children.size === 0) return this;
    const parents = [...this.#children.keys()].filter((element) => isNamed([...at, element]));
    return new FieldSet(
      [...this.#members, ...parents],
      [...this.#children].map(([element, child]) => [element, child.withParents(isNamed, [...at, element])]),
    );
  }

  /** The paths of all members: at each level the members come first. Source: fieldpath.Set, Iterate. */
  paths(): string[][] {
    const elements = this.#elements();
    const below = (element: string): string[][] => this.below(element).paths();
    return [
      ...elements.filter((element) => this.has(element)).map((element) => [element]),
      ...elements.flatMap((element) => below(element).map((path) => [element, ...path])),
    ];
  }

  /**
   * The value of `fieldsV1`.
   * @param isMember true: the element above has an owner itself
   */
  toFieldsV1(isMember = false): JsonObject {
    const fields: Record<string, JsonObject> = isMember ? { [ITSELF]: ALONE } : {};
    for (const element of this.#elements()) {
      const below = this.#children.get(element);
      setField(fields, element, below === undefined ? ALONE : below.toFieldsV1(this.has(element)));
    }
    return fields;
  }

  /** In their order: fields, items by their keys, items by their values, and indexes at the end. */
  #elements(): string[] {
    const parents = [...this.#children.keys()].filter((element) => !this.has(element));
    const sorted = [...this.#members, ...parents].sort();
    const isIndex = (element: string): boolean => element.startsWith('i');
    return sorted.some(isIndex)
      ? [...sorted.filter((element) => !isIndex(element)), ...sorted.filter(isIndex)]
      : sorted;
  }
}

const NOTHING = new FieldSet();
