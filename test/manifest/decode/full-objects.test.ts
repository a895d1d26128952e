import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../../../src/manifest/decode/decode.ts';
import { fieldsOf, typeOfKind } from '../../../src/api/field-types.ts';
import { parseType } from '../../../src/manifest/decode/fields.ts';
import { formatFieldError } from '../../../src/manifest/field-error.ts';
import type { MapNode, SourceNode } from '../../../src/manifest/read/source-node.ts';
import { SourceText } from '../../../src/manifest/read/source-text.ts';
import { readYaml } from '../../../src/manifest/read/yaml-reader.ts';

// Objects of the API's own tests in which every field is set: core.v1.Pod.yaml, batch.v1.Job.yaml ...
const folder = fileURLToPath(new URL('../../api/full-objects/', import.meta.url));
const files = readdirSync(folder).map((file) => {
  const [, group = '', version = '', kind = ''] = /^(.*)\.(v\d+)\.(\w+)\.yaml$/.exec(file) ?? [];
  const apiVersion = group === 'core' ? version : `${group}/${version}`;
  return { file, type: typeOfKind(apiVersion, kind) ?? '' };
});

const treeOf = (file: string): MapNode => readYaml(new SourceText(readFileSync(folder + file, 'utf8'), 1)) as MapNode;

/** `Pod.spec`, `PodSpec.containers`: the fields of the table that a tree sets. */
function fieldsIn(node: SourceNode, type: string): string[] {
  if (node.kind !== 'map') return [];
  return node.entries.flatMap(({ key, value }) => {
    const field = fieldsOf(type)?.[key];
    if (field === undefined) return [];
    const { base } = parseType(field);
    const inside = value.kind === 'list' ? value.items : [value];
    return [`${type}.${key}`, ...inside.flatMap((item) => fieldsIn(item, base))];
  });
}

/** All fields of a type and of the types below it. */
function fieldsBelow(type: string, seen = new Set<string>()): string[] {
  if (seen.has(type)) return [];
  seen.add(type);
  return Object.entries(fieldsOf(type) ?? {}).flatMap(([field, fieldType]) => [
    `${type}.${field}`,
    ...fieldsBelow(parseType(fieldType).base, seen),
  ]);
}

describe('objects with every field set', () => {
  it.each(files)('$file decodes without a mistake', ({ file, type }) => {
    const { problems } = decodeObject(treeOf(file), type, { lineOf: () => 0, newerFields: true });
    expect(problems.map(({ error }) => formatFieldError(error))).toEqual([]);
  });

  it('set every field of the table that these kinds have', () => {
    const set = new Set(files.flatMap(({ file, type }) => fieldsIn(treeOf(file), type)));
    const missing = files.flatMap(({ type }) => fieldsBelow(type)).filter((field) => !set.has(field));
    // A claim in a StatefulSet need not say what it is.
    expect([...new Set(missing)].filter((field) => !/^PersistentVolumeClaim\.(kind|apiVersion)$/.test(field))).toEqual(
      [],
    );
  });
});
