import { Field, MapField, Root, Type } from 'protobufjs/light.js';
import fields from './fields.json' with { type: 'json' };

/** A field of a message, as `write-fields.mjs` writes it. */
export interface MessageField {
  readonly number: number;
  /** The name, the same as in JSON. */
  readonly name: string;
  /** A scalar of protobuf, or a message of the table. */
  readonly type: string;
  /** See `fieldsOf` in the script. */
  readonly form: '' | '?' | '!' | '&' | '[]' | '{}';
}

const TABLE: Readonly<Record<string, string>> = fields;
const known = new Map<string, readonly MessageField[]>();
const root = new Root();

/** The message of a kind: `apps/v1` `Deployment` is `apps.v1.Deployment`. Undefined: not in the table. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const own = `${group.split('.')[0]}.${version}.${kind}`;
  // The options of requests have the version of the client that sends them.
  return [own, `meta.v1.${kind}`].find((name) => Object.hasOwn(TABLE, name));
}

/** The fields of a message. Undefined for a scalar. */
export function fieldsOfMessage(name: string): readonly MessageField[] | undefined {
  const present = known.get(name);
  if (present !== undefined || !Object.hasOwn(TABLE, name)) return present;
  const read = (TABLE[name] ?? '').split(',').filter(Boolean).map(readField);
  known.set(name, read);
  return read;
}

function readField(text: string): MessageField {
  const [, number, name = '', type = '', form] = /^(\d+) (\w+) ([\w.]+)(.*)/.exec(text) ?? [];
  return { number: Number(number), name, type, form: form as MessageField['form'] };
}

/** The decoder of a message. It is made, with the decoders that it contains, on first use. */
export function decoderOf(message: string): Type {
  const name = typeNameOf(message);
  const present = root.get(name);
  if (present instanceof Type) return present;
  const type = new Type(name);
  root.add(type);
  for (const { number, name: field, type: inner, form } of fieldsOfMessage(message) ?? []) {
    const isMessage = fieldsOfMessage(inner) !== undefined;
    if (isMessage) decoderOf(inner);
    const innerName = isMessage ? typeNameOf(inner) : inner;
    type.add(
      form === '{}'
        ? new MapField(field, number, 'string', innerName)
        : new Field(field, number, innerName, form === '[]' ? 'repeated' : 'optional'),
    );
  }
  return type;
}

/** A dot in a name of protobufjs leads into a namespace. */
function typeNameOf(message: string): string {
  return message.replaceAll('.', '_');
}
