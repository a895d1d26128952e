import { goJsonType, isJsonObject, type JsonObject } from '../../api/index.ts';
import { toInteger } from '../../manifest/index.ts';

/** The types of fields, as Go names them. */
type FieldKind = 'string' | 'bool' | 'int32' | 'int64' | 'float64' | '[]string';

/**
 * Reads fields of a foreign object whose kind is not in the field table, with their types. A null is a field that is
 * missing. All methods throw a TypeError with the words of Go's JSON decoder for a value of another type.
 */
export class TypedFields {
  readonly #object: JsonObject;
  readonly #type: string;
  readonly #path: string;

  /**
   * @param type the name of the Go type
   * @param path the path of the object, with a dot at its end
   */
  constructor(object: JsonObject, type: string, path = '') {
    this.#object = object;
    this.#type = type;
    this.#path = path;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#object, name) && (this.#object[name] ?? undefined) !== undefined;
  }

  /** A field of a simple type. Undefined: it is missing. */
  get(name: string, kind: FieldKind): unknown {
    const value = this.has(name) ? this.#object[name] : undefined;
    if (value === undefined || isOfKind(value, kind)) return value;
    throw this.#wrong(name, value, kind);
  }

  text(name: string): string {
    return (this.get(name, 'string') as string | undefined) ?? '';
  }

  texts(name: string): readonly string[] {
    return (this.get(name, '[]string') as readonly string[] | undefined) ?? [];
  }

  part(name: string, type: string): TypedFields | undefined {
    const value = this.has(name) ? this.#object[name] : undefined;
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) throw this.#wrong(name, value, type.includes('.') ? type : `v1.${type}`);
    return new TypedFields(value, type, `${this.#path}${name}.`);
  }

  parts(name: string, type: string): TypedFields[] {
    const value = this.has(name) ? this.#object[name] : [];
    if (!Array.isArray(value)) throw this.#wrong(name, value, `[]v1.${type}`);
    return value.map((item: unknown) => {
      if (!isJsonObject(item)) throw this.#wrong(name, item, `v1.${type}`);
      return new TypedFields(item, type, `${this.#path}${name}.`);
    });
  }

  #wrong(name: string, value: unknown, type: string): TypeError {
    const got = type.startsWith('int') && typeof value === 'number' ? `number ${value}` : goJsonType(value);
    const field = `${this.#type}.${this.#path}${name}`;
    return new TypeError(`json: cannot unmarshal ${got} into Go struct field ${field} of type ${type}`);
  }
}

function isOfKind(value: unknown, kind: FieldKind): boolean {
  if (kind === 'int32' || kind === 'int64') return toInteger(value, kind) !== undefined;
  if (kind === 'float64') return typeof value === 'number';
  if (kind === '[]string') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === (kind === 'bool' ? 'boolean' : 'string');
}
