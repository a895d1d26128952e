import { fieldsOf, typeOfKind } from '../../../src/api/base/field-types.ts';
import { isJsonObject, type JsonObject } from '../../../src/api/base/json.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import added from '../../../src/apiserver/protobuf/added-fields.json' with { type: 'json' };
import numbers from '../../../src/apiserver/protobuf/fields.json' with { type: 'json' };

const MESSAGES: Readonly<Record<string, string>> = { ...numbers, ...added };
/** The wire types. */
const VARINT = 0;
const BYTES = 2;

/** An encoder of its own, by the rules of Go: what is no pointer is written, set or not. */
export function encodeObject({ apiVersion, kind, ...fields }: KubeObject): Buffer {
  const type = typeOfKind(apiVersion, kind) ?? '';
  const typeMeta = Buffer.concat([bytesField(1, Buffer.from(apiVersion)), bytesField(2, Buffer.from(kind))]);
  const raw = encodeMessage(messageOf(type), type, fields);
  return Buffer.concat([
    Buffer.from('k8s\0'),
    bytesField(1, typeMeta),
    bytesField(2, raw),
    bytesField(3, EMPTY),
    bytesField(4, EMPTY),
  ]);
}

const EMPTY = Buffer.alloc(0);

/** The message of a type: of `apps.Deployment` it is `apps.v1.Deployment`, of `Pod` `core.v1.Pod`. */
export function messageOf(type: string): string {
  const [name = '', group = 'core'] = type.split('.').reverse();
  const [, own = '', version = '1'] = /^(.*?)(?:V(\d))?$/.exec(group) ?? [];
  return `${own}.v${version}.${name}`;
}

function encodeMessage(message: string, type: string, object: JsonObject): Buffer {
  const known = fieldsOf(type) ?? {};
  const parts = (MESSAGES[message] ?? '')
    .split(',')
    .filter(Boolean)
    .flatMap((text) => {
      const [number, name = '', target = ''] = text.split(' ');
      const at = Number(number);
      if (target.endsWith('&')) return [bytesField(at, encodeMessage(target.slice(0, -1), type, object))];
      const fieldType = known[name];
      const isPointer = /[?}\]]$/.test(target);
      if (fieldType === undefined) return [];
      const value = object[name];
      if (value === undefined && isPointer) return [];
      if (Array.isArray(value)) return value.map((item) => encodeField(at, fieldType.slice(2), item));
      if (fieldType.startsWith('map:') && isJsonObject(value)) {
        return Object.entries(value).map(([key, item]) =>
          bytesField(at, Buffer.concat([bytesField(1, Buffer.from(key)), encodeField(2, fieldType.slice(4), item)])),
        );
      }
      return fieldType.startsWith('[]') ? [] : [encodeField(at, fieldType, value)];
    });
  return Buffer.concat(parts);
}

function encodeField(number: number, type: string, value: unknown): Buffer {
  const text = typeof value === 'string' ? value : '';
  switch (type) {
    case 'string':
      return bytesField(number, Buffer.from(text));
    case '[]string': {
      const texts = Array.isArray(value) ? value : [];
      return bytesField(number, Buffer.concat(texts.map((one) => bytesField(1, Buffer.from(String(one))))));
    }
    case 'bytes':
      return bytesField(number, Buffer.from(text, 'base64'));
    case 'bool':
      return varintField(number, value === true ? 1n : 0n);
    case 'int32':
    case 'int64':
      return varintField(number, BigInt.asUintN(64, BigInt(typeof value === 'number' ? value : 0)));
    case 'quantity':
      return bytesField(number, bytesField(1, Buffer.from(text)));
    case 'time':
      return bytesField(number, text === '' ? EMPTY : varintField(1, BigInt(Date.parse(text) / 1000)));
    case 'intOrString': {
      const isNumber = typeof value === 'number';
      const parts = [
        varintField(1, isNumber ? 0n : 1n),
        varintField(2, BigInt(isNumber ? value : 0)),
        bytesField(3, Buffer.from(text)),
      ];
      return bytesField(number, Buffer.concat(parts));
    }
    default:
      return bytesField(number, encodeMessage(messageOf(type), type, isJsonObject(value) ? value : {}));
  }
}

function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((number << 3) | BYTES)), varint(BigInt(bytes.length)), bytes]);
}

function varintField(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt((number << 3) | VARINT)), varint(value)]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
