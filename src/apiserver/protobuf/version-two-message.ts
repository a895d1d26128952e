import { Writer } from 'protobufjs/light.js';
import { isJsonObject, type JsonObject } from '../../api/index.ts';

/**
 * The messages of a document of version 2: number, name in JSON and type of each field. `[]` is a list, `{}` a map as a
 * message with a list of names and values. `x-` is the number of the extensions. Source: gnostic, OpenAPIv2.proto.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  Document: '1 swagger string,2 info Info,8 paths Paths,9 definitions Schema{}',
  Info: '1 title string,2 version string',
  PathItem: '2 get Operation,3 put Operation,4 post Operation,5 delete Operation,8 patch Operation,9 parameters Item[]',
  Operation:
    '1 tags string[],3 description string,5 operationId string,6 produces string[],7 consumes string[],' +
    '8 parameters Item[],9 responses Response{},13 x-',
  BodyParameter: '1 description string,2 name string,3 in string,4 required bool,5 schema Schema',
  PathParameter: '1 required bool,2 in string,3 description string,4 name string,5 type string',
  QueryParameter:
    '1 required bool,2 in string,3 description string,4 name string,6 type string,7 format string,20 uniqueItems bool',
  Answer: '1 description string,2 schema SchemaItem',
  Schema:
    '1 $ref string,2 format string,3 title string,4 description string,5 default Any,6 multipleOf double,' +
    '7 maximum double,8 exclusiveMaximum bool,9 minimum double,10 exclusiveMinimum bool,11 maxLength int64,' +
    '12 minLength int64,13 pattern string,14 maxItems int64,15 minItems int64,16 uniqueItems bool,' +
    '17 maxProperties int64,18 minProperties int64,19 required string[],20 enum Any[],21 additionalProperties More,' +
    '22 type TypeItem,23 items ItemsItem,24 allOf Schema[],25 properties Schema{},30 example Any,31 x-',
};

interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: string;
}

const FIELDS = new Map(
  Object.entries(MESSAGES).map(([message, text]): [string, readonly Field[]] => [
    message,
    text.split(',').map((field) => {
      const [number, name = '', type = ''] = field.split(' ');
      return { number: Number(number), name, type };
    }),
  ]),
);

/** Messages whose value is no message in JSON. */
const WRAPPED: Readonly<Record<string, (writer: Writer, value: unknown) => void>> = {
  Any: (writer, value) => writer.uint32(tag(2, BYTES)).string(JSON.stringify(value)),
  More: (writer, value) =>
    isJsonObject(value) ? write(writer, 1, 'Schema', value) : writer.uint32(tag(2, VARINT)).bool(value === true),
  TypeItem: (writer, value) => writer.uint32(tag(1, BYTES)).string(String(value)),
  ItemsItem: (writer, value) => write(writer, 1, 'Schema', value),
  SchemaItem: (writer, value) => write(writer, 1, 'Schema', value),
  Response: (writer, value) => write(writer, 1, 'Answer', value),
  Item: (writer, value) => write(writer, 1, 'Parameter', value),
  Parameter: (writer, value) => {
    const isBody = isJsonObject(value) && value['in'] === 'body';
    write(writer, isBody ? 1 : 2, isBody ? 'BodyParameter' : 'OtherParameter', value);
  },
  OtherParameter: (writer, value) => {
    const isPath = isJsonObject(value) && value['in'] === 'path';
    write(writer, isPath ? 4 : 3, isPath ? 'PathParameter' : 'QueryParameter', value);
  },
  Paths: (writer, value) => writeMap(writer, 2, 'PathItem', value as JsonObject),
};

const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/** A document of OpenAPI v2 as protobuf, which kubectl and Go clients ask for. */
export function versionTwoMessage(document: JsonObject): Buffer {
  const writer = new Writer();
  writeFields(writer, 'Document', document);
  return Buffer.from(writer.finish());
}

function write(writer: Writer, number: number, message: string, value: unknown): void {
  writer.uint32(tag(number, BYTES)).fork();
  const wrap = WRAPPED[message];
  if (wrap === undefined) writeFields(writer, message, value as JsonObject);
  else wrap(writer, value);
  writer.ldelim();
}

function writeFields(writer: Writer, message: string, object: JsonObject): void {
  for (const { number, name, type } of FIELDS.get(message) ?? []) {
    const value = object[name];
    if (name === 'x-') writeExtensions(writer, number, object);
    else if (value === undefined) continue;
    else if (type.endsWith('[]'))
      for (const item of value as readonly unknown[]) writeValue(writer, number, type.slice(0, -2), item);
    else if (type.endsWith('{}')) {
      writer.uint32(tag(number, BYTES)).fork();
      writeMap(writer, 1, type.slice(0, -2), value as JsonObject);
      writer.ldelim();
    } else writeValue(writer, number, type, value);
  }
}

function writeExtensions(writer: Writer, number: number, object: JsonObject): void {
  const extensions = Object.entries(object).filter(([name]) => name.startsWith('x-'));
  writeMap(writer, number, 'Any', Object.fromEntries(extensions));
}

/** A list of messages with a name and a value. */
function writeMap(writer: Writer, number: number, message: string, map: JsonObject): void {
  for (const [name, value] of Object.entries(map)) {
    writer.uint32(tag(number, BYTES)).fork().uint32(tag(1, BYTES)).string(name);
    write(writer, 2, message, value);
    writer.ldelim();
  }
}

function writeValue(writer: Writer, number: number, type: string, value: unknown): void {
  if (type === 'string') writer.uint32(tag(number, BYTES)).string(String(value));
  else if (type === 'bool') writer.uint32(tag(number, VARINT)).bool(value === true);
  else if (type === 'double') writer.uint32(tag(number, DOUBLE)).double(Number(value));
  else if (type === 'int64') writer.uint32(tag(number, VARINT)).int64(Number(value));
  else write(writer, number, type, value);
}

function tag(number: number, wireType: number): number {
  return (number << 3) | wireType;
}
