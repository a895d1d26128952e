import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { fieldTable } from '../../src/api/generated/field-table.ts';
import { fieldHasNoEffect } from '../../src/lifecycle/texts/podrun-events.ts';
import { fieldsOf, typeOfKind } from '../../src/api/base/field-types.ts';
import { resourceTypeNamed } from '../../src/api/resource-types.ts';
import { knownType, parseType } from '../../src/manifest/decode/fields.ts';
import { groupFieldsWithoutEffect } from '../../src/manifest/support/find-fields.ts';
import { coversBelow, type FieldRule, type Isolation } from '../../src/manifest/support/rule.ts';
import { SUPPORT_TABLE, SUPPORTED_KINDS } from '../../src/manifest/support/table.ts';
import { filesBelow, readText } from '../architecture/source.ts';
import { container, created, pod } from './objects.ts';

const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const NEWER = false;
const fieldNames = (typeName: string): string[] =>
  Object.keys(fieldsOf(typeName) ?? {}).filter((field) => knownType(typeName, field, NEWER) !== undefined);
const typeBelow = (typeName: string, field: string): string => parseType(knownType(typeName, field, NEWER) ?? '').base;
const rows = Object.entries(SUPPORT_TABLE).flatMap(([typeName, rules]) =>
  Object.entries(rules).map(([field, rule]) => ({ typeName, field, rule })),
);
const nameOf = ({ typeName, field }: { typeName: string; field: string }): string => `${typeName}.${field}`;

/** The types of the kinds that podrun takes. */
const KIND_TYPES = SUPPORTED_KINDS.map((kind) => typeOfKind(resourceTypeNamed(kind)?.apiVersion ?? '', kind) ?? kind);

/** The types whose fields have rules of their own. */
function typesWithRules(): Set<string> {
  const found = new Set<string>(KIND_TYPES);
  for (const typeName of found) {
    for (const field of fieldNames(typeName)) {
      const rule: FieldRule | undefined = SUPPORT_TABLE[typeName]?.[field];
      const below = typeBelow(typeName, field);
      if (rule !== undefined && !coversBelow(rule) && fieldsOf(below) !== undefined) found.add(below);
    }
  }
  return found;
}

describe('the support table', () => {
  it('has every field of the kinds that podrun takes, and no other', () => {
    const wanted = [...typesWithRules()].flatMap((typeName) =>
      fieldNames(typeName).map((field) => nameOf({ typeName, field })),
    );
    expect(rows.map(nameOf).toSorted()).toEqual(wanted.toSorted());
  });

  it('says of every field that is not as on a node why', () => {
    const silent = rows.filter(({ rule }) => rule.treatment !== 'works' && rule.note === '');
    expect(silent.map(nameOf)).toEqual([]);
  });

  it('calls working only what something outside of the manifest reads', () => {
    const code = [
      'api',
      'apiserver/deletion',
      'apiserver/volumes',
      'controllers',
      'engine',
      'images/node',
      'kubelet',
      'lifecycle',
      'manifest/admission',
      'network/linux',
      'network/node',
      'print',
      'runtime',
      'settings',
      'store',
      'workloads',
    ].flatMap((layer) => filesBelow(`src/${layer}`, /\.ts$/));
    const names = new Set(code.flatMap((file) => readText(file).replaceAll(COMMENT, '').match(/\w+/g) ?? []));
    const unread = rows.filter(
      ({ field, rule }) => rule.treatment === 'works' && rule.note === '' && !names.has(field),
    );
    expect(unread.map(nameOf)).toEqual([]);
  });
});

/** A value of a type. No default and no harmless value equals it. */
function someValue(type: string): unknown {
  const { container: holder, base } = parseType(type);
  if (holder === 'list') return [someValue(base)];
  if (holder === 'map') return { key: someValue(base) };
  if (fieldsOf(base) !== undefined) return { someField: 'x' };
  if (base === 'bool') return true;
  return base.startsWith('int') ? 7 : 'x';
}

/** Values for fields where the general value would be harmless. */
const OTHER_VALUES: Readonly<Record<string, unknown>> = {
  'PodSpec.hostUsers': false,
  'PodSecurityContext.sysctls': [{ name: 'kernel.shm_rmid_forced', value: '1' }],
  'SecurityContext.allowPrivilegeEscalation': false,
  'EmptyDirVolumeSource.medium': 'HugePages',
};

/** The fields on the way from a kind to a type, with lists opened. */
function wayTo(typeName: string): { kind: string; fields: string[] } {
  let ways: { kind: string; at: string; fields: string[] }[] = KIND_TYPES.map((type) => {
    return { kind: type, at: type, fields: [] };
  });
  for (let depth = 0; depth < 9; depth += 1) {
    const found = ways.find(({ at }) => at === typeName);
    if (found !== undefined) return found;
    ways = ways.flatMap(({ kind, at, fields }) =>
      fieldNames(at)
        .filter((field) => !coversBelow(SUPPORT_TABLE[at]?.[field] as FieldRule))
        .map((field) => ({ kind, at: typeBelow(at, field), fields: [...fields, field] }))
        .filter(({ at: next }) => fieldsOf(next) !== undefined),
    );
  }
  throw new Error(`no way to ${typeName}`);
}

describe('a field without effect', () => {
  const idle = rows.filter(({ rule, typeName }) => rule.treatment === 'no effect' && typeName !== 'EphemeralContainer');

  it.each(idle.map((row) => ({ ...row, name: nameOf(row) })))('$name is reported in one event', (row) => {
    const { typeName, field, rule, name } = row;
    const { kind, fields } = wayTo(typeName);
    const value = OTHER_VALUES[name] ?? someValue(fieldsOf(typeName)?.[field] ?? '');
    const { object, path } = around(kind, [...fields, field], value);
    const messages = groupFieldsWithoutEffect(object, LEAST[name]).map((one) => fieldHasNoEffect(one).message);
    const key = parseType(fieldsOf(typeName)?.[field] ?? '').container === 'map' ? '[key]' : '';
    expect(messages).toEqual([`${path}${key}: ${rule.note}`]);
  });

  it('of several containers is one event with all paths', () => {
    const spec = { initContainers: [container({ name: 'i', ...HOST_PORT })], containers: [container(HOST_PORT)] };
    const [field, ...others] = groupFieldsWithoutEffect(created(pod(spec)));
    expect(others).toEqual([]);
    expect(field?.paths).toEqual(['spec.initContainers[0].ports[0].hostPort', 'spec.containers[0].ports[0].hostPort']);
  });

  it('has a message that an event can hold', () => {
    const containers = Array.from({ length: 50 }, (_, index) => container({ name: `c${index}`, ...HOST_PORT }));
    const [field] = groupFieldsWithoutEffect(created(pod({ containers })));
    const { message } = fieldHasNoEffect(field as never);
    expect(message).toContain('spec.containers[7].ports[0].hostPort and 42 more: ');
    expect(message.length).toBeLessThan(1024);
  });
});

/** The isolation in which a field has no effect. Default: none. */
const LEAST: Readonly<Record<string, Isolation>> = { 'PodSpec.hostNetwork': { hasNodes: true } };

const HOST_PORT = { ports: [{ containerPort: 80, hostPort: 8080 }] };

/** An object with only this value, and the path of the value. */
function around(kind: string, fields: readonly string[], value: unknown): { object: KubeObject; path: string } {
  let [typeName, path] = [kind, ''];
  const steps = fields.map((field, index) => {
    const { container: holder, base } = parseType(fieldsOf(typeName)?.[field] ?? '');
    const isLast = index === fields.length - 1;
    path = `${path}${path === '' ? '' : '.'}${field}${holder === 'list' && !isLast ? '[0]' : ''}`;
    typeName = base;
    return { field, isList: holder === 'list' && !isLast };
  });
  const inner = steps.reduceRight<unknown>((held, { field, isList }) => ({ [field]: isList ? [held] : held }), value);
  const [key = `v1/${kind}`] = Object.entries(fieldTable.kinds).find(([, type]) => type === kind) ?? [];
  const identity = { apiVersion: key.slice(0, key.lastIndexOf('/')), kind: kind.slice(kind.indexOf('.') + 1) };
  return { object: { ...identity, ...(inner as object) } as KubeObject, path };
}
