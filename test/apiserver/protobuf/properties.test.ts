import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, typeOfKind } from '../../../src/api/base/field-types.ts';
import { fieldTable } from '../../../src/api/generated/field-table.ts';
import { isJsonObject, type JsonObject } from '../../../src/api/base/json.ts';
import numbers from '../../../src/apiserver/protobuf/fields.json' with { type: 'json' };
import added from '../../../src/apiserver/protobuf/added-fields.json' with { type: 'json' };
import { decodeProtobuf, encodeProtobuf } from '../../../src/apiserver/protobuf/index.ts';
import { encodeObject, messageOf } from './encode.ts';

const KINDS = Object.keys(fieldTable.kinds).filter((key) => !key.endsWith('/Event'));
const DEPTH_MAX = 6;

/** A value that is no zero: a zero is not in JSON, unless a pointer leads to it. */
function valueOf(type: string, depth: number): fc.Arbitrary<unknown> {
  if (type.startsWith('[]')) return fc.array(valueOf(type.slice(2), depth), { minLength: 1, maxLength: 2 });
  if (type.startsWith('map:')) {
    return fc.dictionary(fc.constantFrom('a', 'b', 'x/y'), valueOf(type.slice(4), depth), { minKeys: 1, maxKeys: 2 });
  }
  switch (type) {
    case 'string':
      return fc.constantFrom('x', 'ä', 'web-1');
    case 'bytes':
      return fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'bool':
      return fc.constant(true);
    case 'int32':
    case 'int64':
      return fc.integer().filter((number) => number !== 0);
    case 'quantity':
      return fc.constantFrom('1', '500m', '1Gi');
    case 'time':
      return fc.constantFrom('2026-11-25T10:00:00Z');
    case 'intOrString':
      return fc.oneof(fc.nat(), fc.constant('http'));
    default:
      return objectOf(type, depth + 1);
  }
}

/** An object of a type, with the fields that the table of messages has. */
function objectOf(type: string, depth: number): fc.Arbitrary<JsonObject> {
  const fields = Object.entries(fieldsOf(type) ?? {}).filter(
    ([name, of]) =>
      !['object', 'any', 'microTime'].includes(of) &&
      isSent(type, name) &&
      (depth < DEPTH_MAX || fieldsOf(of.replace(/^\[\]/, '')) === undefined),
  );
  const few = fc.subarray(fields, { maxLength: Math.min(4, fields.length) });
  return few.chain((chosen) => fc.record(Object.fromEntries(chosen.map(([name, of]) => [name, valueOf(of, depth)]))));
}

const MESSAGES: Readonly<Record<string, string>> = { ...numbers, ...added };
const namesOf = new Map<string, ReadonlySet<string>>();

/** True for a field that has a number in the message of its type. */
function isSent(type: string, field: string): boolean {
  const names = namesOf.get(type) ?? new Set(namesIn(messageOf(type)));
  namesOf.set(type, names);
  return names.has(field);
}

/** The fields of a message, and those of the messages in it that JSON has no name for. */
function namesIn(message: string): string[] {
  return (MESSAGES[message] ?? '').split(',').flatMap((text) => {
    const [, name = '', target = ''] = text.split(' ');
    return target.endsWith('&') ? namesIn(target.slice(0, -1)) : [name];
  });
}

/** Drops what is the same as nothing: empty objects, and zeros. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutEmpty(item) ?? {});
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, withoutEmpty(field)] as const);
  const filled = entries.filter(([, field]) => ![undefined, 0, '0', '', false].includes(field as string));
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

const objects = fc.constantFrom(...KINDS).chain((key) => {
  const slash = key.lastIndexOf('/');
  const [apiVersion, kind] = [key.slice(0, slash), key.slice(slash + 1)];
  return objectOf(typeOfKind(apiVersion, kind) ?? '', 0).map((fields) => ({
    metadata: {},
    ...fields,
    apiVersion,
    kind,
  }));
});

describe('objects in protobuf', () => {
  it('are the objects that podrun and another encoder wrote', () => {
    fc.assert(
      fc.property(objects, (object) => {
        expect(withoutEmpty(decodeProtobuf(encodeObject(object)))).toEqual(withoutEmpty(object));
        expect(withoutEmpty(decodeProtobuf(encodeProtobuf(object)))).toEqual(withoutEmpty(object));
      }),
      { numRuns: 300 },
    );
  });

  it('that are damaged are refused, or read as other objects', () => {
    fc.assert(
      fc.property(objects, fc.nat(), fc.nat(255), (object, at, byte) => {
        const body = encodeObject(object);
        body[at % body.length] = byte;
        try {
          decodeProtobuf(body);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have every kind of the field table', () => {
    for (const key of Object.keys(fieldTable.kinds)) {
      const slash = key.lastIndexOf('/');
      const object = { apiVersion: key.slice(0, slash), kind: key.slice(slash + 1), metadata: { name: 'a' } };
      expect(decodeProtobuf(encodeObject(object))).toMatchObject(object);
    }
  });
});
