// Writes fields.json beside this file: the field numbers of Kubernetes' protobuf messages. Every kubectl before
// 1.35 contains them, as compressed descriptors of its .proto files. Numbers never change, so a newer version adds
// fields only: fields of 1.36 are from the tags of its Go types. Run it with the path of a kubectl:
// `node src/apiserver/protobuf/write-fields.mjs KUBECTL`.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';

/** The header of a descriptor that gzip has compressed. */
const MAGIC = Buffer.from('1f8b08000000000002ff', 'hex');
const SIZE_MAX = 400_000;
/** The option of a field that is no pointer in Go: (gogoproto.nullable) = false. */
const NULLABLE = new protobuf.Field('nullable', 65_001, 'bool');
const ALPHA_OR_BETA = /v\d+(alpha|beta)\d+\//;

/** Go embeds these messages in their container: their fields are fields of it. */
const EMBEDDED = new Set(
  (
    'volumeSource localObjectReference persistentVolumeSource ephemeralContainerCommon handler ingressRuleValue ' +
    'ruleWithOperations rule deviceConfiguration'
  ).split(' '),
);

/** Some names begin with a capital letter in protobuf, and these alone in JSON as well. */
const KEPT_NAMES = new Set(['DaemonEndpoint', 'FieldsV1']);

const SCALARS = { 1: 'double', 3: 'int64', 4: 'uint64', 5: 'int32', 8: 'bool', 9: 'string', 12: 'bytes', 13: 'uint32' };
const MESSAGE = 11;
const REPEATED = 3;

descriptor.FieldOptions.add(NULLABLE);
const [, , kubectl] = process.argv;
const { types } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../api/schema/k8s-types.json'), 'utf8'));
const messages = {};
for (const file of descriptorsOf(readFileSync(kubectl))) {
  if (ALPHA_OR_BETA.test(file.name) || !file.name.startsWith('k8s.io/')) continue;
  for (const message of file.messageType) {
    const name = shortName(`.${file.package}.${message.name}`);
    messages[name] = fieldsOf(message, types[name.replace('core.v1.', '').replace('.v1.', '.')]);
  }
}
const sorted = Object.fromEntries(Object.entries(messages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const lines = Object.entries(sorted).map(
  ([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields.join(','))}`,
);
writeFileSync(path.join(import.meta.dirname, 'fields.json'), `{\n${lines.join(',\n')}\n}\n`);

function* descriptorsOf(data) {
  for (let at = data.indexOf(MAGIC); at >= 0; at = data.indexOf(MAGIC, at + 1)) {
    const compressed = data.subarray(at + MAGIC.length, at + SIZE_MAX);
    yield descriptor.FileDescriptorProto.decode(inflateRawSync(compressed));
  }
}

/** `.k8s.io.api.core.v1.Pod` is `core.v1.Pod`, and the types of all groups `meta.v1.ObjectMeta` and so on. */
function shortName(name) {
  return name.replace(
    /^\.k8s\.io\.(api|apimachinery\.pkg\.(apis|api|util)|apimachinery\.pkg|metrics\.pkg\.apis)\./,
    '',
  );
}

/** `APIGroup` is `apiGroup` in JSON, and `uID` `uid`. */
function jsonName(written) {
  if (written === 'uID') return 'uid';
  return written.startsWith('API') ? `api${written.slice(3)}` : written[0].toLowerCase() + written.slice(1);
}

/**
 * `1 metadata meta.v1.ObjectMeta` for each field. After the type: `?` a pointer, `[]` a list, `{}` a map, `&` embedded,
 * `!` a scalar that JSON has when it is zero, too.
 */
function fieldsOf({ name: message, field, nestedType }, known = {}) {
  return field.map(({ name: written, number, type, typeName, label, options }) => {
    const name = KEPT_NAMES.has(message) ? written : jsonName(written);
    const entry = nestedType.find(
      (nested) => nested.options?.mapEntry && typeName?.endsWith(`.${message}.${nested.name}`),
    );
    const base = (one) => (one.type === MESSAGE ? shortName(one.typeName) : SCALARS[one.type]);
    if (entry !== undefined) return `${number} ${name} ${base(entry.field[1])}{}`;
    if (label === REPEATED) return `${number} ${name} ${base({ type, typeName })}[]`;
    const isPointer = !Object.hasOwn(options ?? {}, 'nullable');
    const isEmbedded =
      type === MESSAGE && !isPointer && EMBEDDED.has(name) && typeName.toLowerCase().endsWith(name.toLowerCase());
    const isKept = type !== MESSAGE && !isPointer && known[name]?.required === true;
    const flag = (isEmbedded && '&') || (isPointer && '?') || (isKept && '!') || '';
    return `${number} ${name} ${base({ type, typeName })}${flag}`;
  });
}
