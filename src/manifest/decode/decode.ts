import { fieldsOf, QUANTITY_SHAPE_MESSAGE, setField } from '../../api/index.ts';
import { type FieldError, invalid } from '../base/field-error.ts';
import { type MapEntry, type MapNode, nodeTypeName, nodeValue, type SourceNode } from '../read/source-node.ts';
import {
  booleanHint,
  integerHint,
  isOmitted,
  joinPath,
  knownType,
  type Level,
  listHint,
  parseType,
  quantityHint,
  stringHint,
  unknownFieldHint,
} from './fields.ts';
import { checkBase64, checkQuantity, checkTime, integerName, isIntegerType, toInteger } from './scalars.ts';

/** A mistake that the decoder found, and its position. */
export interface DecodeProblem {
  readonly error: FieldError;
  /** Index into the text of the document. */
  readonly offset: number;
}

export interface DecodeResult {
  /**
   * The object without wrong values, nulls, and what Go omits when it is empty. Fields are in the order of the Go
   * types, entries of maps are sorted.
   */
  readonly object: Record<string, unknown>;
  /** All wrong types and all unknown or duplicate fields, keys sorted, lists in order; at most 100. */
  readonly problems: readonly DecodeProblem[];
}

export interface DecodeOptions {
  /** The line of an offset, for "first given at line 8". */
  readonly lineOf: (offset: number) => number;
  /** False: an integer is written without fraction and exponent, as Go reads JSON. Default: true. */
  readonly takesFractions?: boolean;
  /** Accept fields that are newer than the version of Kubernetes that podrun follows. */
  readonly takesNewerFields?: boolean;
}

/**
 * Decodes an object as the API server's strict decoder does, but continues after a mistake.
 * @param root the object as written
 * @param type its type in the field table
 */
export function decodeObject(root: MapNode, type: string, options: DecodeOptions): DecodeResult {
  const decoder = new Decoder(options);
  const object = decoder.object(root, { typeName: type, path: '', parent: undefined });
  return { object, problems: decoder.problems };
}

/** The number of problems after which the API server stops counting. */
const MAX_PROBLEMS = 100;

interface DecodePosition {
  readonly path: string;
  /** The path in messages about the value, which shows map keys in brackets. */
  readonly valuePath: string;
  /** The object that contains the value. */
  readonly level: Level;
}

/** The zero values of Go, for a null in a list or map. The zero value of a type with fields is {}. */
const ZERO_VALUES: Readonly<Record<string, unknown>> = {
  string: '',
  bytes: '',
  bool: false,
  int32: 0,
  int64: 0,
  intOrString: 0,
  quantity: '0',
};

class Decoder {
  readonly problems: DecodeProblem[] = [];
  readonly #options: DecodeOptions;

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  object(node: MapNode, level: Level): Record<string, unknown> {
    const values = new Map<string, unknown>();
    for (const { key, keyOffset, value } of this.#sortedEntries(node, level.path)) {
      const path = joinPath(level.path, key);
      const type = knownType(level.typeName, key, this.#options.takesNewerFields === true);
      if (type === undefined) this.#unknown(key, path, keyOffset, level);
      else {
        const decoded = this.#field(value, type, { path, valuePath: path, level });
        values.set(key, isOmitted(level.typeName, key, type, decoded) ? undefined : decoded);
      }
    }
    const inOrder = Object.keys(fieldsOf(level.typeName) ?? {}).filter((field) => values.get(field) !== undefined);
    return Object.fromEntries(inOrder.map((field) => [field, values.get(field)]));
  }

  #unknown(field: string, path: string, offset: number, level: Level): void {
    // The search for a hint takes time.
    if (this.problems.length >= MAX_PROBLEMS) return;
    const error: FieldError = { path, type: 'Unknown field', detail: `unknown field "${path}"` };
    this.#add(offset, error, unknownFieldHint(field, level));
  }

  /** Entries sorted by key. Reports repeated keys, and keeps the last entry of each. */
  #sortedEntries(node: MapNode, parentPath: string): MapEntry[] {
    const last = new Map<string, MapEntry>();
    const repeated = new Set<string>();
    for (const entry of node.entries) {
      const before = last.get(entry.key);
      last.set(entry.key, entry);
      if (before === undefined || repeated.has(entry.key)) continue;
      repeated.add(entry.key);
      const path = joinPath(parentPath, entry.key);
      const error: FieldError = { path, type: 'Duplicate field', detail: `duplicate field "${path}"` };
      this.#add(entry.keyOffset, error, `first given at line ${this.#options.lineOf(before.keyOffset)}`);
    }
    return [...last.keys()].sort().map((key) => last.get(key) as MapEntry);
  }

  /** The value of a field. Undefined when it is null or wrong. */
  #field(node: SourceNode, type: string, position: DecodePosition): unknown {
    const { container, base } = parseType(type);
    if (isNull(node)) return undefined;
    if (container === 'list') return this.#list(node, base, position);
    if (container === 'map') return this.#map(node, base, position);
    return this.#value(node, base, position);
  }

  #list(node: SourceNode, base: string, { path, level }: DecodePosition): unknown {
    if (node.kind !== 'list') return this.#wrongType(node, path, 'list', listHint(node, path));
    return node.items.map((item, index) => {
      const itemPath = `${path}[${index}]`;
      return this.#element(item, base, { path: itemPath, valuePath: itemPath, level });
    });
  }

  #map(node: SourceNode, base: string, { path, level }: DecodePosition): unknown {
    if (node.kind !== 'map') return this.#wrongType(node, path, 'object');
    const object: Record<string, unknown> = {};
    for (const { key, value } of this.#sortedEntries(node, path)) {
      // A map may have ten thousand texts: these need no place.
      const isPlain = base === 'string' && value.kind === 'scalar' && typeof value.value === 'string';
      const place = (): DecodePosition => ({ path: `${path}.${key}`, valuePath: `${path}[${key}]`, level });
      setField(object, key, isPlain ? value.value : this.#element(value, base, place()));
    }
    return object;
  }

  #element(node: SourceNode, base: string, position: DecodePosition): unknown {
    if (!isNull(node)) return this.#value(node, base, position);
    return fieldsOf(base) === undefined ? ZERO_VALUES[base] : {};
  }

  #value(node: SourceNode, base: string, position: DecodePosition): unknown {
    // A map of lists: the `extra` of a user.
    if (base.startsWith('[]')) return this.#list(node, base.slice(2), position);
    if (fieldsOf(base) !== undefined) {
      if (node.kind !== 'map') return this.#wrongType(node, position.path, 'object');
      return this.object(node, { typeName: base, path: position.path, parent: position.level });
    }
    if (base === 'any') return nodeValue(node);
    if (base === 'object')
      return node.kind === 'map' ? nodeValue(node) : this.#wrongType(node, position.path, 'object');
    if (base === 'quantity') return this.#quantity(node, position.valuePath);
    return this.#scalar(node, base, position);
  }

  #scalar(node: SourceNode, base: string, { path, valuePath }: DecodePosition): unknown {
    const value = node.kind === 'scalar' ? node.value : undefined;
    if (isIntegerType(base)) {
      const whole = this.#isFraction(node) ? undefined : toInteger(value, base);
      return whole ?? this.#wrongType(node, path, integerName(base), integerHint(node, path));
    }
    if (base === 'intOrString') {
      if (typeof value === 'string') return value;
      return toInteger(value, 'int32') ?? this.#wrongType(node, path, 'integer or string');
    }
    if (base === 'bool') {
      return typeof value === 'boolean' ? value : this.#wrongType(node, path, 'boolean', booleanHint(node));
    }
    if (typeof value !== 'string') return this.#wrongType(node, path, 'string', stringHint(node));
    return this.#text(node, value, base, valuePath);
  }

  #isFraction(node: SourceNode): boolean {
    return this.#options.takesFractions === false && node.kind === 'scalar' && /[.eE]/.test(node.text);
  }

  #text(node: SourceNode, text: string, base: string, path: string): unknown {
    if (base === 'bytes') {
      const { value, wrong } = checkBase64(text);
      // The message leaves out the value, which may be a secret.
      if (wrong !== undefined) this.#add(node.offset, { path, type: 'Invalid value', detail: wrong });
      return value;
    }
    if (base !== 'time' && base !== 'microTime') return text;
    const { value, wrong } = checkTime(text, base);
    if (wrong !== undefined) this.#add(node.offset, invalid(path, text, wrong));
    return value;
  }

  #quantity(node: SourceNode, path: string): unknown {
    const isText = node.kind === 'scalar' && typeof node.value !== 'boolean';
    const text = isText ? String(node.value) : '';
    const { value, wrong } = isText ? checkQuantity(text) : { wrong: QUANTITY_SHAPE_MESSAGE };
    if (wrong !== undefined) this.#add(node.offset, invalid(path, nodeValue(node), wrong), quantityHint(text));
    return value;
  }

  #wrongType(node: SourceNode, path: string, expected: string, hint?: string): undefined {
    const type = nodeTypeName(node);
    const isNumber = type === 'number' && expected.startsWith('integer');
    const number = node.kind === 'scalar' && (this.#isFraction(node) ? node.text : String(node.value));
    const got = isNumber && number ? `number ${number}` : type;
    this.#add(node.offset, { path, type: 'Invalid type', detail: `expected ${expected}, got ${got}` }, hint);
    return undefined;
  }

  #add(offset: number, error: FieldError, hint?: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({ error: hint === undefined ? error : { ...error, hint }, offset });
  }
}

function isNull(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}
