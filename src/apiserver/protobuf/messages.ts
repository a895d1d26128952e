import { Field, MapField, Root, Type } from 'protobufjs/light.js';
import added from './added-fields.json' with { type: 'json' };
import fields from './fields.json' with { type: 'json' };

/** The bytes before each message. Source: apimachinery/pkg/runtime/serializer/protobuf. */
export const PREFIX: Buffer = Buffer.from('k8s\0');

/** A field of a message, as `write-fields.mjs` writes it. */
export interface MessageField {
  readonly number: number;
  /** The name, the same as in JSON. */
  readonly name: string;
  /** The name for protobufjs, which keeps names with a dollar sign for itself. */
  readonly key: string;
  /** A scalar of protobuf, or a message of the table. */
  readonly type: string;
  /** See `fieldsOf` in the script. */
  readonly form: '' | '?' | '!' | '&' | '[]' | '{}';
}

/**
 * Messages by name. No kubectl has the messages of CustomResourceDefinitions and APIServices, and none before
 * 1.35 has the messages of MutatingAdmissionPolicies in v1: they are a file of their own.
 * Source: the files generated.proto of apiextensions/v1 and apiregistration/v1; the tags of admissionregistration/v1.
 */
const TABLE: Readonly<Record<string, string>> = { ...fields, ...added };
const known = new Map<string, readonly MessageField[]>();
const root = new Root();

/** The message of a kind: `apps/v1` `Deployment` is `apps.v1.Deployment`. Undefined: not in the table. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  // A custom kind may have the name of one of Kubernetes' own.
  if (group.includes('.') && !group.endsWith('.k8s.io')) return undefined;
  const own = `${group.split('.')[0]}.${version}.${kind}`;
  // The options of requests have the version of the client that sends them.
  return [own, `meta.v1.${kind}`].find((name) => Object.hasOwn(TABLE, name));
}

/** The fields of a message. Undefined for a scalar. */
export function fieldsOfMessage(name: string): readonly MessageField[] | undefined {
  const present = known.get(name);
  if (present !== undefined || !Object.hasOwn(TABLE, name)) return present;
  const read = (TABLE[name] ?? '')
    .split(',')
    .filter(Boolean)
    .map(readField)
    // Go writes them in this order.
    .toSorted((one, other) => one.number - other.number);
  known.set(name, read);
  return read;
}

function readField(text: string): MessageField {
  const [, number, name = '', type = '', form] = /^(\d+) ([\w$-]+) ([\w.]+)(.*)/.exec(text) ?? [];
  return { number: Number(number), name, key: name.replace('$', ''), type, form: form as MessageField['form'] };
}

/** The decoder of a message. It is made, with the decoders that it contains, on first use. */
export function decoderOf(message: string): Type {
  const name = typeNameOf(message);
  const present = root.get(name);
  if (present instanceof Type) return present;
  const type = new Type(name);
  root.add(type);
  for (const { number, key: field, type: inner, form } of fieldsOfMessage(message) ?? []) {
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
