import type { JsonObject } from '../../../api/index.ts';
import { fieldSchema, schemaOr, type SchemaProps } from '../base/schema.ts';
import { escapedName } from './check/schema-types.ts';

/**
 * Values as rules see them: whole numbers are `int`, texts of the formats byte, date and duration have types of their
 * own. Each object is converted once, however many rules look at it.
 * Source: apiextensions, pkg/apiserver/schema/cel/values.go.
 */
export class CelValues {
  readonly #known = new WeakMap<object, unknown>();

  of(schema: SchemaProps | undefined, value: unknown): unknown {
    if (typeof value === 'number') {
      return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
    }
    if (typeof value === 'string') return celText(schema?.format, value);
    if (typeof value !== 'object' || value === null) return value;
    let made = this.#known.get(value);
    if (made === undefined) {
      made = Array.isArray(value)
        ? value.map((item: unknown) => this.of(schema?.items, item))
        : this.#fields(schema, value as JsonObject);
      this.#known.set(value, made);
    }
    return made;
  }

  /** A field that is null is not there, for rules; an entry of a map may be. Without a schema, names are as in JSON. */
  #fields(schema: SchemaProps | undefined, value: JsonObject): unknown {
    const isMap = schema === undefined || schemaOr(schema.additionalProperties) !== undefined;
    const entries = Object.entries(value).flatMap(([name, field]) => {
      const known = schema === undefined ? undefined : fieldSchema(schema, name);
      if (field === null && known !== undefined && !isMap) return [];
      return [[isMap ? name : escapedName(name), this.of(known, field)] as const];
    });
    return Object.fromEntries(entries);
  }
}

function celText(format: string | undefined, text: string): unknown {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format !== 'date' && format !== 'date-time') return text;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at;
}
