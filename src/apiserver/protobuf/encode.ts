import { Writer } from 'protobufjs/light.js';
import { isJsonObject, type JsonObject, type KubeObject } from '../../api/index.ts';
import { fieldsOfMessage, type MessageField, messageOfKind, PREFIX } from './messages.ts';

/** Wire types of protobuf. */
const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/** The messages of values that are no objects in JSON: the reverse of the table in values.ts. */
const SPECIAL: Readonly<Record<string, (writer: Writer, value: unknown) => void>> = {
  'meta.v1.Time': (writer, value) => writeTime(writer, value, false),
  'meta.v1.MicroTime': (writer, value) => writeTime(writer, value, true),
  'resource.Quantity': (writer, value) => writer.uint32(tag(1, BYTES)).string(textOf(value)),
  'intstr.IntOrString': (writer, value) => {
    writer.uint32(tag(1, VARINT)).int64(typeof value === 'string' ? 1 : 0);
    writer.uint32(tag(2, VARINT)).int32(typeof value === 'number' ? value : 0);
    writer.uint32(tag(3, BYTES)).string(typeof value === 'string' ? value : '');
  },
  'runtime.RawExtension': writeJson,
  'meta.v1.FieldsV1': writeJson,
  'apiextensions.v1.JSON': writeJson,
  'meta.v1.Verbs': writeTexts,
  'authentication.v1.ExtraValue': writeTexts,
  'authorization.v1.ExtraValue': writeTexts,
  'certificates.v1.ExtraValue': writeTexts,
  'apiextensions.v1.JSONSchemaPropsOrArray': (writer, value) => {
    for (const [number, item] of Array.isArray(value) ? value.map((one: unknown) => [2, one] as const) : [[1, value]])
      writeMessage(writer, number as number, SCHEMA, item);
  },
  'apiextensions.v1.JSONSchemaPropsOrBool': (writer, value) => {
    writer.uint32(tag(1, VARINT)).bool(value !== false);
    if (isJsonObject(value)) writeMessage(writer, 2, SCHEMA, value);
  },
  'apiextensions.v1.JSONSchemaPropsOrStringArray': (writer, value) => {
    if (isJsonObject(value)) writeMessage(writer, 1, SCHEMA, value);
    else for (const text of listOf(value)) writer.uint32(tag(2, BYTES)).string(textOf(text));
  },
};
const SCHEMA = 'apiextensions.v1.JSONSchemaProps';

/** True for a kind that clients may get as protobuf. */
export function hasMessage({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): boolean {
  return messageOfKind(apiVersion ?? '', kind ?? '') !== undefined;
}

/**
 * An object as application/vnd.kubernetes.protobuf, as Go writes it: with each field that is no pointer.
 * @param object of a kind with a message
 */
export function encodeProtobuf(object: KubeObject): Buffer {
  const { apiVersion, kind } = object;
  const message = messageOfKind(apiVersion, kind) ?? '';
  return inEnvelope({ apiVersion, kind }, encoded(message, object));
}

/** A list whose items are encoded already, each without its envelope. */
export function encodeList({ apiVersion, kind, metadata }: KubeObject, items: readonly Buffer[]): Buffer {
  const writer = new Writer();
  writeMessage(writer, 1, 'meta.v1.ListMeta', metadata);
  for (const item of items) writer.uint32(tag(2, BYTES)).bytes(item);
  return inEnvelope({ apiVersion, kind }, writer.finish());
}

/** An item of a list: the message of an object without its envelope. */
export function encodeItem(object: KubeObject): Buffer {
  return Buffer.from(encoded(messageOfKind(object.apiVersion, object.kind) ?? '', object));
}

/** An event of a watch: a length of four bytes, then a message without an envelope. */
export function encodeEvent(type: string, object: KubeObject): Buffer {
  const writer = new Writer();
  writer.uint32(tag(1, BYTES)).string(type);
  const raw = new Writer().uint32(tag(1, BYTES)).bytes(encodeProtobuf(object)).finish();
  const event = writer.uint32(tag(2, BYTES)).bytes(raw).finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function inEnvelope(typeMeta: JsonObject, raw: Uint8Array): Buffer {
  const writer = new Writer();
  writeMessage(writer, 1, 'runtime.TypeMeta', typeMeta);
  for (const [number, bytes] of [raw, EMPTY, EMPTY].entries()) writer.uint32(tag(number + 2, BYTES)).bytes(bytes);
  return Buffer.concat([PREFIX, writer.finish()]);
}

const EMPTY = new Uint8Array();

function encoded(message: string, value: unknown): Uint8Array {
  const writer = new Writer();
  writeFields(writer, message, value);
  return writer.finish();
}

function writeMessage(writer: Writer, number: number, message: string, value: unknown): void {
  writer.uint32(tag(number, BYTES)).fork();
  writeFields(writer, message, value);
  writer.ldelim();
}

function writeFields(writer: Writer, message: string, value: unknown): void {
  if (Object.hasOwn(SPECIAL, message)) {
    if (value !== undefined && value !== null) SPECIAL[message]?.(writer, value);
    return;
  }
  const object = isJsonObject(value) ? value : {};
  for (const field of fieldsOfMessage(message) ?? [])
    writeField(writer, field, field.form === '&' ? object : object[field.name]);
}

function writeField(writer: Writer, field: MessageField, value: unknown): void {
  const { number, type, form } = field;
  const isMissing = value === undefined || value === null;
  if (form === '[]') for (const item of listOf(value)) writeValue(writer, field, item);
  else if (form === '{}')
    for (const [key, item] of Object.entries(isJsonObject(value) ? value : {}).toSorted(byKey)) {
      writer.uint32(tag(number, BYTES)).fork().uint32(tag(1, BYTES)).string(key);
      writeValue(writer, { ...field, number: 2 }, item);
      writer.ldelim();
    }
  else if (!isMissing || (form !== '?' && type !== 'bytes')) writeValue(writer, field, value);
}

function writeValue(writer: Writer, { number, type }: MessageField, value: unknown): void {
  switch (type) {
    case 'string':
      writer.uint32(tag(number, BYTES)).string(textOf(value));
      return;
    case 'bytes':
      writer.uint32(tag(number, BYTES)).bytes(Buffer.from(textOf(value), 'base64'));
      return;
    case 'bool':
      writer.uint32(tag(number, VARINT)).bool(value === true);
      return;
    case 'double':
      writer.uint32(tag(number, DOUBLE)).double(numberOf(value));
      return;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      writer.uint32(tag(number, VARINT))[type](numberOf(value));
      return;
    default:
      writeMessage(writer, number, type, value);
  }
}

function tag(number: number, wireType: number): number {
  return (number << 3) | wireType;
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A quantity may be a number in JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function writeTexts(writer: Writer, value: unknown): void {
  for (const text of listOf(value)) writer.uint32(tag(1, BYTES)).string(textOf(text));
}

function writeJson(writer: Writer, value: unknown): void {
  writer.uint32(tag(1, BYTES)).bytes(Buffer.from(JSON.stringify(value)));
}

function writeTime(writer: Writer, value: unknown, hasFraction: boolean): void {
  const [, fraction = ''] = /\.(\d+)/.exec(textOf(value)) ?? [];
  const seconds = Math.floor(Date.parse(textOf(value)) / 1000);
  if (Number.isNaN(seconds)) return;
  writer.uint32(tag(1, VARINT)).int64(seconds);
  writer.uint32(tag(2, VARINT)).int32(hasFraction ? Number(fraction.slice(0, 9).padEnd(9, '0')) : 0);
}
