/** The kinds of types. `param` stands for any type in a signature. */
type Kind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'object'
  | 'opaque'
  | 'optional'
  | 'param'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** The type of an expression, with what is known of the size of its values. */
export interface CelType {
  readonly kind: Kind;
  /** As messages name it: `int`, `list(string)`. */
  readonly name: string;
  /** List and optional: the type of what is in it. Map: the types of keys and values. */
  readonly inner?: readonly CelType[];
  /** The fields of an object. */
  readonly fields?: ReadonlyMap<string, CelType>;
  /** The most characters, bytes or items of a value. Undefined: unknown, and 1 for a scalar. */
  readonly size?: number;
  /** The fewest of them. Undefined: 0. */
  readonly leastSize?: number;
  /** The bytes of the smallest value in JSON, for the types of a schema. */
  readonly leastBytes?: number;
}

const simple = (kind: Kind, name: string = kind): CelType => ({ kind, name });

export const BOOL: CelType = simple('bool');
export const BYTES: CelType = simple('bytes');
export const DOUBLE: CelType = simple('double');
export const DURATION: CelType = simple('duration');
export const DYN: CelType = simple('dyn');
export const INT: CelType = simple('int');
export const NULL: CelType = simple('null');
export const STRING: CelType = simple('string');
export const TIMESTAMP: CelType = simple('timestamp');
export const TYPE: CelType = simple('type');
export const UINT: CelType = simple('uint');

/** A type whose values have only functions: `kubernetes.Quantity`. */
export const opaque = (name: string): CelType => simple('opaque', name);
/** A type variable of a signature: `A`. */
export const param = (name: string): CelType => simple('param', name);

export function listType(item: CelType, more: Partial<CelType> = {}): CelType {
  return { kind: 'list', name: `list(${item.name})`, inner: [item], ...more };
}

export function mapType(key: CelType, value: CelType, more: Partial<CelType> = {}): CelType {
  return { kind: 'map', name: `map(${key.name}, ${value.name})`, inner: [key, value], ...more };
}

export function optionalType(inner: CelType): CelType {
  const { size } = inner;
  return {
    kind: 'optional',
    name: `optional_type(${inner.name})`,
    inner: [inner],
    ...(size === undefined ? {} : { size }),
  };
}

/** The type of the items of a list, or of what an optional may have. */
export function innerOf({ inner }: CelType): CelType {
  return inner?.[0] ?? DYN;
}

/** The type of the values of a map. */
export function valueOf({ inner }: CelType): CelType {
  return inner?.[1] ?? DYN;
}

const VARIABLE: ReadonlySet<Kind> = new Set(['bytes', 'dyn', 'list', 'map', 'object', 'optional', 'param', 'string']);

/** The largest size of a value. Source: cel-go, checker/cost.go, sizeOrUnknown. */
export function sizeOf({ kind, size }: CelType): number {
  return size ?? (VARIABLE.has(kind) ? Infinity : 1);
}

/** The type without what its place in a schema says about sizes. */
export function unsized({ kind, name, inner, fields }: CelType): CelType {
  return { kind, name, ...(inner && { inner }), ...(fields && { fields }) };
}

/** The kinds that `null` belongs to as well. Source: cel-go, common/types, internalIsAssignableNull. */
const NULLABLE: ReadonlySet<Kind> = new Set(['duration', 'null', 'object', 'opaque', 'optional', 'timestamp']);

/** The types that the type variables of a signature stand for. */
export type TypeBinding = Map<string, CelType>;

/** True when a value of a type may stand where another is wanted. Type variables are bound on the way. */
export function fits(wanted: CelType, given: CelType, bound: TypeBinding): boolean {
  if (wanted.kind === 'param') return binds(wanted.name, given, bound);
  if (wanted.kind === 'dyn' || given.kind === 'dyn' || given.kind === 'param') return true;
  if (given.kind === 'null' || wanted.kind === 'null') return NULLABLE.has(wanted.kind) && NULLABLE.has(given.kind);
  if (wanted.kind !== given.kind) return false;
  if (wanted.kind === 'object' || wanted.kind === 'opaque') return wanted.name === given.name;
  return (wanted.inner ?? []).every((part, index) => fits(part, given.inner?.[index] ?? DYN, bound));
}

function binds(name: string, given: CelType, bound: TypeBinding): boolean {
  const known = bound.get(name);
  const joined = known === undefined ? given : joinedType(known, given);
  if (joined === undefined) return false;
  bound.set(name, joined);
  return true;
}

/** The type that has the values of both. Undefined: there is none. */
export function joinedType(one: CelType, other: CelType): CelType | undefined {
  if (one.kind === 'param' || other.kind === 'param') return one.kind === 'param' ? other : one;
  const isWider = fits(one, other, new Map());
  if (!isWider && !fits(other, one, new Map())) return undefined;
  if (one.kind === 'dyn' || other.kind === 'dyn') return { ...DYN, size: Math.max(sizeOf(one), sizeOf(other)) };
  const wide = isWider && one.kind !== 'null' ? one : other;
  const [a, b] = [sizeOf(one), sizeOf(other)];
  return { ...wide, size: Math.max(a, b), leastSize: Math.min(one.leastSize ?? 0, other.leastSize ?? 0) };
}

/** A type of a signature with the types that its variables stand for. */
export function substituted(type: CelType, bound: TypeBinding): CelType {
  if (type.kind === 'param') return bound.get(type.name) ?? DYN;
  const [first, second] = (type.inner ?? []).map((part) => substituted(part, bound));
  if (first === undefined) return type;
  if (type.kind === 'list') return listType(first);
  return second === undefined ? optionalType(first) : mapType(first, second);
}
