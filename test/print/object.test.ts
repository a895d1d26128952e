import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  formatYaml,
  listOf,
  type PrintedObject,
  renderObject,
  renderWatchLine,
} from '../../src/print/formats/object.ts';
import { goldenEvents, goldenPods, transcript } from './golden.ts';

const configMap = (data: Record<string, string>): PrintedObject & { data: Record<string, string> } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c' },
  data,
});

/** The recording server gave the objects resource versions of its own. */
const anyVersion = (text: string): string => text.replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"1"');

describe('renderObject()', () => {
  it('prints the transcript get-json1: four blanks a level, keys sorted', () => {
    const { stdout } = transcript('get', 'get-json1');
    const [api] = goldenPods('list-of-three');
    expect(anyVersion(renderObject(api!, 'json'))).toBe(anyVersion(stdout));
  });

  it('prints the transcript get-name, for a List as for each', () => {
    const { stdout } = transcript('get', 'get-name');
    expect(renderObject(listOf(goldenPods('list-of-three')), 'name')).toBe(stdout);
  });

  it('prints the transcript events-oyaml', () => {
    const { stdout } = transcript('events', 'events-oyaml');
    const list = { apiVersion: 'v1', kind: 'EventList', metadata: {}, items: goldenEvents('crashloop') };
    expect(anyVersion(renderObject(list, 'yaml'))).toBe(anyVersion(stdout));
  });

  it('writes every string as kubectl writes it', () => {
    const recorded = (file: string): string => readFileSync(join(import.meta.dirname, 'recorded', file), 'utf8');
    expect(renderObject(JSON.parse(recorded('strings.json')) as PrintedObject, 'yaml')).toBe(recorded('strings.yaml'));
  });

  it('names objects outside the core group with it', () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } };
    expect(renderObject(object, 'name')).toBe('deployment.apps/d\n');
  });

  it.each(['json', 'yaml'] as const)('hides managedFields in %s, also in a List', (format) => {
    const object = { ...configMap({}), metadata: { name: 'c', managedFields: [{ manager: 'kubectl' }] } };
    expect(renderObject(listOf([object]), format)).not.toContain('manage');
  });

  it('keeps keys that look like numbers in the order of their text, and markup out of JSON', () => {
    expect(renderObject(configMap({ 10: '<b>&', 9: '', a: '' }), 'json')).toContain(
      String.raw`"data": {
        "10": "\u003cb\u003e\u0026",
        "9": "",
        "a": ""
    },`,
    );
  });

  it('prints empty collections and null on the line of their key, and nothing for unset fields', () => {
    const object = { ...configMap({}), list: [], time: null, unset: undefined, nested: [['a', []], [{ b: 1.5 }]] };
    expect(renderObject(object, 'yaml')).toBe(
      `apiVersion: v1
data: {}
kind: ConfigMap
list: []
metadata:
  name: c
nested:
- - a
  - []
- - b: 1.5
time: null
`,
    );
    expect(renderObject(object, 'json')).not.toContain('unset');
  });
});

describe('renderWatchLine()', () => {
  it('is one line, with the type first', () => {
    expect(renderWatchLine('ADDED', configMap({ a: 'x\ny' }))).toBe(
      '{"type":"ADDED","object":{"apiVersion":"v1","data":{"a":"x\\ny"},"kind":"ConfigMap","metadata":{"name":"c"}}}\n',
    );
  });
});

describe('formatYaml()', () => {
  it('sorts keys as go-yaml does: numbers by value, letters last', () => {
    const keys = ['_', '1.9', '1.10', '2', '02', '10', 'B', 'a-1', 'a.b', 'a_b', 'a2', 'a10', 'aB', 'ab', 'b'];
    keys.push('true', 'v100', 'v1000', 'v1001', 'v1a', 'y');
    const shuffled = Object.fromEntries(keys.toReversed().map((key) => [key, '']));
    const printed = formatYaml(shuffled).trimEnd().split('\n');
    expect(printed.map((line) => line.replace(/: ""$/, '').replaceAll('"', ''))).toEqual(keys);
  });
});
