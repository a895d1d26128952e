import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ManifestMistake } from '../../src/manifest/check/manifest-mistake.ts';
import { loadManifests } from '../../src/manifest/check/load.ts';
import { loadText } from './load-text.ts';
import { needs } from '../needs.ts';

/** The CPU time limit for each hostile input. It does not depend on other programs. */
const LONGEST_MS = 4000;
const MIB = 1024 * 1024;

/** Runs a function, and fails when it took more CPU time than the limit. */
async function inTime<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const before = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(LONGEST_MS);
  return answer;
}

const detailOf = (errors: readonly ManifestMistake[]): string =>
  errors.map((error) => (error.stage === 'input' ? error.message : error.error.detail)).join('\n');

const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: demo}\n';

/** The value `lol` nine times; each level contains the previous one nine times. */
function laughs(levels: number): string {
  const line = (level: number): string =>
    `l${level}: &l${level} [${Array.from({ length: 9 }, () => `*l${level - 1}`).join(', ')}]\n`;
  return `l0: &l0 lol\n${Array.from({ length: levels }, (_, index) => line(index + 1)).join('')}`;
}

/** Maps that each merge the previous one and add a key. */
function mergeChain(length: number): string {
  const line = (index: number): string => `m${index}: &m${index}\n  <<: *m${index - 1}\n  k${index}: 1\n`;
  return `m0: &m0 {k0: 1}\n${Array.from({ length }, (_, index) => line(index + 1)).join('')}`;
}

const items = (where: string): object => ({
  spec: { volumes: [{ name: 'v', configMap: { name: 'cm', items: [{ key: 'a', path: where }] } }] },
});
const mount = (given: object): object => ({
  spec: {
    volumes: [{ name: 'v', emptyDir: {} }],
    containers: [{ name: 'main', image: 'busybox', volumeMounts: [{ name: 'v', ...given }] }],
  },
});

const HOSTILE: readonly (readonly [name: string, text: () => string | Uint8Array, want: RegExp])[] = [
  ['a billion laughs', () => POD + laughs(9), /excessive aliasing/],
  [
    'aliases of a long text',
    () => `${POD}a: &a "${'x'.repeat(100_000)}"\nb: [${Array.from({ length: 20_000 }, () => '*a').join(', ')}]\n`,
    /excessive aliasing/,
  ],
  ['laughs that just pass a million', () => POD + laughs(7), /excessive aliasing/],
  ['an anchor that contains itself', () => `${POD}spec: &a {b: *a}\n`, /anchor 'a' value contains itself/],
  ['an anchor that merges itself', () => `${POD}spec: &a {<<: *a}\n`, /anchor 'a' value contains itself/],
  ['a chain of merges', () => POD + mergeChain(3000), /excessive aliasing/],
  [
    'deep aliases',
    () => `${POD}a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(60)}*a${']'.repeat(60)}\n`,
    /100 levels/,
  ],
  ['1 MB of [', () => '['.repeat(MIB), /nested more than 100 levels deep/],
  ['1 MB of {"a":', () => '{"a":'.repeat(MIB / 5), /nested more than 100 levels deep/],
  ['1 MB of "- "', () => '- '.repeat(MIB / 2), /nested more than 100 levels deep/],
  ['1 MB of "? "', () => '? '.repeat(MIB / 2), /nested more than 100 levels deep/],
  ['1 MB of "{a: "', () => '{a: '.repeat(MIB / 4), /nested more than 100 levels deep/],
  ['deep blocks', () => Array.from({ length: 1500 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''), /100 levels/],
  ['3 MB of commas', () => `[${','.repeat(3 * MIB - 2)}`, /tokens|did not find/],
  ['3 MB of numbers', () => `[${'1,'.repeat(1.5 * MIB - 2)}]`, /more than 250000 tokens/],
  ['3 MB of anchors', () => '&a '.repeat(MIB - 1), /tokens/],
  ['3 MB of tags', () => '! '.repeat(1.5 * MIB), /tokens/],
  ['120,000 tags', () => '! '.repeat(120_000), /at most one tag/],
  ['3 MB of short lines', () => 'a: b\n'.repeat((3 * MIB) / 5), /tokens/],
  ['20,000 duplicates', () => `${POD}${'x: y\n'.repeat(20_000)}`, /duplicate field "x"/],
  ['3 MB of line ends', () => '\n'.repeat(3 * MIB), /tokens|no objects/],
  ['3 MB of blanks', () => `${' '.repeat(3 * MIB - 2)}a`, /expected an object, got a string/],
  ['3 MB of tabs', () => '\t'.repeat(3 * MIB), /tab|no objects|cannot start any token/],
  ['3 MB of #', () => '#'.repeat(3 * MIB), /no objects/],
  ['3 MB of quotes', () => '"'.repeat(3 * MIB), /./],
  ['1 MB of backslashes', () => `a: "${'\\\\'.repeat(MIB / 2)}"`, /apiVersion not set/],
  ['3 MB of blanks in quotes', () => `a: "\\n${' '.repeat(2.9 * MIB)}"`, /apiVersion not set/],
  ['1 MB of folded lines', () => `a: "\\n${'x\n '.repeat(MIB / 3)}"`, /apiVersion not set/],
  ['a plain scalar of 3 MB', () => `a: ${'b '.repeat(1.4 * MIB)}`, /apiVersion not set/],
  ['a plain scalar of a million lines', () => `a: b\n${' c\n'.repeat(MIB - 10)}`, /apiVersion not set/],
  ['a block of a million lines', () => `a: |\n${' c\n'.repeat(MIB - 10)}`, /apiVersion not set|too large/],
  ['a number of 3 MB', () => `a: ${'1'.repeat(2.9 * MIB)}`, /apiVersion not set/],
  ['a JSON number of 3 MB', () => `{"a": ${'1'.repeat(2.9 * MIB)}}`, /too large|apiVersion not set/],
  ['a JSON string of 3 MB', () => `{"a": "${'b'.repeat(2.9 * MIB)}"}`, /apiVersion not set/],
  ['a JSON string of escapes', () => `{"a": "${'\\u0041'.repeat(0.4 * MIB)}"}`, /apiVersion not set/],
  ['3 MB of JSON numbers', () => `{"a": [${'1,'.repeat(1.4 * MIB)}1]}`, /tokens/],
  ['a million JSON objects', () => '{}\n'.repeat(MIB - 1), /tokens|not expect|Unexpected/],
  ['3 MB of JSON that breaks at its end', () => `{"a": [${'1,'.repeat(1.4 * MIB)}`, /tokens|did not find/],
  [
    'a unit of 3 MB',
    () => `${POD}spec: {containers: [{resources: {limits: {cpu: ${'1'.repeat(2.9 * MIB)}B}}}]}`,
    /quantities must/,
  ],
  ['a name of 3 MB', () => `apiVersion: v1\nkind: Pod\nmetadata: {name: "${'a.'.repeat(1.4 * MIB)}"}`, /subdomain/],
  ['a kind of 3 MB', () => `apiVersion: v1\nkind: ${'a'.repeat(2.9 * MIB)}`, /no matches for kind/],
  ['a field of 500 bytes', () => `${POD}${'a'.repeat(500)}: 1\n`, /unknown field/],
  [
    '20,000 unknown fields',
    () => `${POD}${Array.from({ length: 20_000 }, (_, index) => `x${index}: 1\n`).join('')}`,
    /unknown field/,
  ],
  ['100,000 separators', () => '---\n'.repeat(100_000), /no objects/],
  ['a million dashes in a line', () => '-'.repeat(MIB), /invalid Yaml document separator/],
  ['10,000 wrong separators', () => '--- x\n'.repeat(10_000), /invalid Yaml document separator: x/],
  [
    'a document of more than 3 MiB',
    () => `${POD}#${' '.repeat(3 * MIB)}`,
    /Request entity too large: limit is 3145728/,
  ],
  ['a NUL byte', () => `${POD}a: "\0"\n`, /control characters are not allowed/],
  ['a program', () => Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256), /invalid UTF-8/],
  ['bytes that are not UTF-8', () => Buffer.from('a: \xff\n', 'latin1'), /invalid UTF-8/],
  ['half a character', () => Buffer.from('a: \xe2\x82', 'latin1'), /invalid UTF-8/],
  ['an encoded surrogate', () => Buffer.from('a: \xed\xa0\x80', 'latin1'), /invalid UTF-8/],
  ['UTF-16', () => Buffer.from(`\ufeff${POD}`, 'utf16le'), /invalid UTF-8/],
  ['an escape character', () => `${POD}a: \u001b[31m\n`, /control characters are not allowed/],
  ['the prototype as a field', () => `${POD}__proto__: {polluted: 1}\nconstructor: 1\n`, /unknown field "__proto__"/],
  [
    'nested lists of lists',
    () => `apiVersion: v1\nkind: List\nitems:\n${'- {apiVersion: v1, kind: List, items: []}\n'.repeat(2000)}`,
    /no objects/,
  ],
];

describe('hostile manifests', () => {
  it.each(HOSTILE)('get a clear answer in time: %s', async (_name, text, want) => {
    const input = text();
    const { objects, errors } = await inTime(() => loadText(input));
    expect(objects).toEqual([]);
    expect(detailOf(errors)).toMatch(want);
  });

  it('are not kept where a cluster would not: 10,000 containers', async () => {
    const containers = Array.from({ length: 10_000 }, (_, index) => ({ name: `c${index}`, image: 'busybox' }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'demo' }, spec: { containers } };
    const { objects, errors } = await inTime(() => loadText(JSON.stringify(pod)));
    expect(objects).toEqual([]);
    expect(detailOf(errors)).toMatch(/^etcdserver: request is too large: the object has \d{7} bytes: a cluster/);
  });

  it.each<[string, object]>([
    ['names of Pods', { metadata: { name: '../up' } }],
    ['namespaces', { metadata: { name: 'x', namespace: '..' } }],
    ['names of containers', { spec: { containers: [{ name: '../../c', image: 'b' }] } }],
    ['names of volumes', { spec: { volumes: [{ name: '../v', emptyDir: {} }] } }],
    ['absolute paths of items', items('/etc/x')],
    ['climbing paths of items', items('a/../../x')],
    ["the writer's own folders as paths of items", items('..data/x')],
    ['climbing sub-paths', mount({ mountPath: '/a', subPath: '../x' })],
    ['absolute sub-paths', mount({ mountPath: '/a', subPath: '/etc' })],
    ['climbing hostPaths', { spec: { volumes: [{ name: 'v', hostPath: { path: '/tmp/../etc' } }] } }],
    ['names of variables with a NUL', { spec: { containers: [{ name: 'c', image: 'b', env: [{ name: 'A\0B' }] }] } }],
    ['addresses with lines of their own', { spec: { hostAliases: [{ ip: '1.1.1.1\nevil', hostnames: ['x'] }] } }],
    ['names of hosts with lines of their own', { spec: { hostAliases: [{ ip: '1.1.1.1', hostnames: ['x\nevil'] }] } }],
    ['name servers with lines of their own', { spec: { dnsConfig: { nameservers: ['1.1.1.1\nsearch evil'] } } }],
    ['search domains with lines of their own', { spec: { dnsConfig: { searches: ['a\nnameserver 6.6.6.6'] } } }],
    ['hostnames that climb', { spec: { hostname: '../x' } }],
  ])('are refused: %s', async (_, given: { metadata?: object; spec?: object }) => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'demo', ...given.metadata },
      spec: { containers: [{ name: 'main', image: 'busybox' }], ...given.spec },
    };
    const { objects, errors } = await loadText(JSON.stringify(pod));
    expect(objects).toEqual([]);
    expect(errors.map(({ stage }) => stage)).toContain('validate');
  });

  it.each(['../a', '..', '..data', 'a/b', ''])('are refused: the key %j of a ConfigMap', async (key) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { [key]: '1' } };
    expect((await loadText(JSON.stringify(object))).objects).toEqual([]);
  });

  it('do not change what objects are', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {__proto__: x, constructor: z}\n';
    const { objects } = await loadText(text);
    expect(JSON.stringify(objects[0]?.object['data'])).toBe('{"__proto__":"x","constructor":"z"}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('do not hold back an answer: the input never ends', async () => {
    const { errors } = await inTime(() => loadText('', { stdin: endless }));
    expect(detailOf(errors)).toBe('STDIN: more than 64 MiB of manifests');
  });

  it('may be a device', needs('Linux'), async () => {
    const { errors } = await inTime(() => loadManifests({ files: ['/dev/zero'] }));
    expect(detailOf(errors)).toBe('/dev/zero: more than 64 MiB of manifests');
  });

  it('may be many, as long as each is small', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'podrun-manifest-'));
    try {
      const file = path.join(folder, 'many.yaml');
      const out = createWriteStream(file);
      for (let index = 0; index < 1000; index += 1)
        out.write(`---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${index}}\n`);
      await new Promise((resolve) => out.end(resolve));
      const { objects, errors } = await inTime(() => loadManifests({ files: [file] }));
      expect(errors).toEqual([]);
      expect(objects).toHaveLength(1000);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

async function* endless(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(MIB).fill(0x20);
  for (;;) yield chunk;
}
