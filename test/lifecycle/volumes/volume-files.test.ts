import { describe, expect, it } from 'vitest';
import type { ConfigMap, Secret, Volume, VolumeProjection } from '../../../src/api/generated/types.ts';
import { type VolumeFacts, volumeFiles } from '../../../src/lifecycle/volumes/volume-files.ts';
import { node, podWith } from '../base-objects.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const configMaps: Readonly<Record<string, ConfigMap>> = {
  files: { metadata: {}, data: { one: '1', two: '2' }, binaryData: { raw: Buffer.from([0, 255]).toString('base64') } },
  odd: { metadata: {}, data: { ['__proto__']: 'kept', '..odd': 'x' } },
  empty: { metadata: {} },
};
const secrets: Readonly<Record<string, Secret>> = { creds: { metadata: {}, data: { one: base64('s1') } } };

const facts: VolumeFacts = {
  pod: podWith(
    { containers: [{ name: 'main', resources: { limits: { cpu: '1250m' } } }] },
    { labels: { b: 'two\nlines', a: 'say "hi"', A: 'ü' }, annotations: {} },
  ),
  node,
  configMap: (name) => configMaps[name],
  secret: (name) => secrets[name],
};

/** `mode text` by path, or the message of the failure. */
function made(volume: Omit<Volume, 'name'>, from: VolumeFacts = facts): Record<string, string> | string | undefined {
  const files = volumeFiles({ name: 'v', ...volume }, from);
  if (files === undefined || !files.ok) return files?.message;
  const shown = [...files.files].map(([path, { bytes, mode }]) => {
    return [path, `${mode.toString(8)} ${Buffer.from(bytes).toString()}`];
  });
  return Object.fromEntries(shown);
}

const projected = (sources: VolumeProjection[], defaultMode?: number): Omit<Volume, 'name'> => ({
  projected: { sources, defaultMode },
});

describe('a volume that the kubelet writes', () => {
  it.each<{ name: string; volume: Omit<Volume, 'name'>; want: Record<string, string> | string | undefined }>([
    { name: 'is no emptyDir', volume: { emptyDir: {} }, want: undefined },
    { name: 'is no hostPath', volume: { hostPath: { path: '/' } }, want: undefined },
    {
      name: 'says that a token of a service account is none',
      volume: projected([{ serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 600 } }]),
      want: {
        token:
          '644 This is not a token: podrun has no API server, so there is none.\n' +
          'In a cluster, a token of the service account "default" is here, for the audience "vault", ' +
          'valid for 600 seconds.\n',
      },
    },
    {
      name: 'has the certificates of a cluster, as a text that says what is missing',
      volume: projected([{ configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }]),
      want: { 'ca.crt': expect.stringMatching(/^644 This is not a certificate: /) as unknown as string },
    },
    {
      name: 'has a file for each key of a Secret, decoded',
      volume: { secret: { secretName: 'creds' } },
      want: { one: '644 s1' },
    },
    {
      name: 'has chosen keys only, where the items say, with their modes',
      volume: {
        configMap: {
          name: 'files',
          defaultMode: 0o400,
          items: [
            { key: 'one', path: 'a//b/./c' },
            { key: 'two', path: 'two', mode: 0 },
          ],
        },
      },
      want: { 'a/b/c': '400 1', two: '0 2' },
    },
    {
      name: 'needs its ConfigMap',
      volume: { configMap: { name: 'nope' } },
      want: 'configmap "nope" not found',
    },
    { name: 'needs its Secret', volume: { secret: { secretName: 'nope' } }, want: 'secret "nope" not found' },
    { name: 'is empty without an optional ConfigMap', volume: { configMap: { name: 'x', optional: true } }, want: {} },
    { name: 'is empty without an optional Secret', volume: { secret: { secretName: 'x', optional: true } }, want: {} },
    {
      name: 'needs the chosen keys of a ConfigMap',
      volume: { configMap: { name: 'files', items: [{ key: 'k', path: 'p' }] } },
      want: 'configmap references non-existent config key: k',
    },
    {
      name: 'needs the chosen keys of a Secret',
      volume: { secret: { secretName: 'creds', items: [{ key: 'k', path: 'p' }] } },
      want: 'references non-existent secret key: k',
    },
    {
      name: 'goes without chosen keys that are optional',
      volume: {
        secret: {
          secretName: 'creds',
          optional: true,
          items: [
            { key: 'k', path: 'p' },
            { key: 'one', path: 'q' },
          ],
        },
      },
      want: { q: '644 s1' },
    },
    { name: 'may be empty', volume: { configMap: { name: 'empty' } }, want: {} },
    {
      name: 'refuses names that are the writer’s own',
      volume: { configMap: { name: 'odd' } },
      want: "invalid path: must not start with '..': ..odd",
    },
  ])('$name', ({ volume, want }) => {
    expect(made(volume)).toEqual(want);
  });

  it('has text and bytes of a ConfigMap', () => {
    const files = volumeFiles({ name: 'v', configMap: { name: 'files' } }, facts);
    const bytes = files?.ok === true ? [...files.files].map(([path, file]) => [path, [...file.bytes]]) : files;
    expect(bytes).toEqual([
      ['raw', [0, 255]],
      ['one', [49]],
      ['two', [50]],
    ]);
  });

  it('has a key of any name', () => {
    const files = volumeFiles(
      { name: 'v', configMap: { name: 'odd', items: [{ key: '__proto__', path: 'p' }] } },
      facts,
    );
    expect(files?.ok === true && [...files.files.keys()]).toEqual(['p']);
  });
});

describe('a downwardAPI volume', () => {
  const field = (fieldPath: string): Omit<Volume, 'name'> => ({
    downwardAPI: { items: [{ path: 'f', fieldRef: { fieldPath } }] },
  });

  it.each([
    ['metadata.name', '644 web'],
    ['metadata.labels', '644 A="ü"\na="say \\"hi\\""\nb="two\\nlines"'],
    ['metadata.annotations', '644 '],
    ["metadata.labels['b']", '644 two\nlines'],
  ])('shows %s', (fieldPath, want) => {
    expect(made(field(fieldPath))).toEqual({ f: want });
  });

  it('shows resources of a container, and knows no other containers and fields', () => {
    const cpu = (containerName: string): Omit<Volume, 'name'> => ({
      downwardAPI: {
        items: [{ path: 'x/cpu', mode: 0o600, resourceFieldRef: { containerName, resource: 'limits.cpu' } }],
      },
    });
    expect(made(cpu('main'))).toEqual({ 'x/cpu': '600 2' });
    expect(made(cpu('other'))).toBe('container other not found');
    expect(made(field('spec.nope'))).toBe('unsupported fieldPath: spec.nope');
  });
});

describe('a projected volume', () => {
  it('puts sources together, later ones over earlier ones, with its own mode', () => {
    const sources = [
      { configMap: { name: 'files' } },
      { secret: { name: 'creds' } },
      { downwardAPI: { items: [{ path: 'all/name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { secret: { name: 'nope', optional: true } },
    ];
    expect(made(projected(sources, 0o440))).toMatchObject({ one: '440 s1', two: '440 2', 'all/name': '440 web' });
  });

  it('lists every missing object and key once', () => {
    const missing = [{ configMap: { name: 'a' } }, { secret: { name: 'b' } }, { configMap: { name: 'a' } }];
    expect(made(projected(missing))).toBe('[configmap "a" not found, secret "b" not found]');
    expect(made(projected([{ configMap: { name: 'a' } }, { secret: { name: 'creds' } }]))).toBe(
      'configmap "a" not found',
    );
  });
});

it('a token is for its owner alone in a Pod with a user or group of its own', () => {
  const volume = projected([{ serviceAccountToken: { path: 'a//token' } }, { configMap: { name: 'files' } }]);
  const from = { ...facts, pod: podWith({ securityContext: { fsGroup: 5 }, serviceAccountName: 'robot' }) };
  expect(made(volume, from)).toMatchObject({
    'a/token': expect.stringMatching(/^600 [^]*service account "robot" is here, valid for 3600 seconds/),
    one: '644 1',
  });
});
