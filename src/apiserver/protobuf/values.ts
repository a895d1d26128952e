import { isJsonObject, type JsonObject, ownValue } from '../../api/index.ts';
import { fieldsOfMessage, type MessageField } from './messages.ts';

/** A message of protobufjs: the fields that were sent are its own. */
export type DecodedMessage = JsonObject;

/** Messages that are no objects in JSON. Source: the methods MarshalJSON of the Go types. */
const SPECIAL: Readonly<Record<string, (message: DecodedMessage) => unknown>> = {
  'meta.v1.Time': ({ seconds, nanos }) => timeText(seconds, nanos, 0),
  'meta.v1.MicroTime': ({ seconds, nanos }) => timeText(seconds, nanos, 6),
  'meta.v1.Duration': ({ duration }) => `${numberOf(duration) / 1e9}s`,
  'resource.Quantity': ({ string }) => string ?? '0',
  'intstr.IntOrString': ({ type, intVal, strVal }) => (numberOf(type) === 1 ? (strVal ?? '') : numberOf(intVal)),
  'runtime.RawExtension': ({ raw }) => jsonOf(raw),
  'meta.v1.FieldsV1': ({ Raw }) => jsonOf(Raw),
  'meta.v1.Verbs': ({ items }) => items,
  'authentication.v1.ExtraValue': ({ items }) => items ?? [],
  'authorization.v1.ExtraValue': ({ items }) => items ?? [],
  'certificates.v1.ExtraValue': ({ items }) => items ?? [],
  'apiextensions.v1.JSON': ({ raw }) => jsonOf(raw),
  'apiextensions.v1.JSONSchemaPropsOrArray': ({ schema, jSONSchemas }) =>
    schema === undefined ? ((jSONSchemas ?? []) as readonly unknown[]).map(schemaOf) : schemaOf(schema),
  'apiextensions.v1.JSONSchemaPropsOrBool': ({ schema, allows }) =>
    schema === undefined ? allows === true : schemaOf(schema),
  'apiextensions.v1.JSONSchemaPropsOrStringArray': ({ schema, property }) =>
    schema === undefined ? (property ?? []) : schemaOf(schema),
};

/**
 * The JSON of a message. Go writes values that are not set, too. JSON leaves these out, but for pointers, which are
 * sent only when they are set.
 */
export function jsonOfMessage(type: string, message: DecodedMessage): unknown {
  // Fields that were not sent have defaults in the prototype.
  if (Object.hasOwn(SPECIAL, type)) return SPECIAL[type]?.({ ...message });
  const entries = (fieldsOfMessage(type) ?? []).flatMap((field): (readonly [string, unknown])[] => {
    const value = ownValue(message, field.key);
    if (value === undefined || value === null) return [];
    const json = jsonOfField(field, value);
    if (field.form === '&') return isJsonObject(json) ? Object.entries(json) : [];
    return json === undefined || isUnset(field, json) ? [] : [[field.name, json]];
  });
  return Object.fromEntries(entries);
}

function schemaOf(message: unknown): unknown {
  return jsonOfMessage('apiextensions.v1.JSONSchemaProps', message as DecodedMessage);
}

function jsonOfField({ type, form }: MessageField, value: unknown): unknown {
  if (form === '[]') return Array.isArray(value) ? value.map((item) => jsonOfValue(type, item)) : [];
  if (form !== '{}') return jsonOfValue(type, value);
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([key, item]) => [key, jsonOfValue(type, item)]));
}

function jsonOfValue(type: string, value: unknown): unknown {
  if (fieldsOfMessage(type) !== undefined) return jsonOfMessage(type, value as DecodedMessage);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return type.includes('int') ? numberOf(value) : value;
}

function isUnset({ form }: MessageField, json: unknown): boolean {
  if (form === '[]') return Array.isArray(json) && json.length === 0;
  if (form === '{}') return isJsonObject(json) && Object.keys(json).length === 0;
  return form === '' && (json === '' || json === 0 || json === false);
}

/** A number of protobuf. Numbers of 64 bits are objects of the package long. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number((value as { toString(): string } | undefined)?.toString() ?? 0);
}

/** Undefined for the zero time of Go. */
function timeText(seconds: unknown, nanos: unknown, digits: number): string | undefined {
  if (seconds === undefined && nanos === undefined) return undefined;
  const at = new Date(numberOf(seconds) * 1000);
  if (Number.isNaN(at.getTime())) return undefined;
  const whole = at.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  const fraction = String(numberOf(nanos)).padStart(9, '0').slice(0, digits);
  return `${whole}${digits > 0 ? `.${fraction}` : ''}Z`;
}

function jsonOf(bytes: unknown): unknown {
  return bytes instanceof Uint8Array && bytes.length > 0 ? JSON.parse(Buffer.from(bytes).toString('utf8')) : undefined;
}
