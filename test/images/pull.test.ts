import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Credential, PullOutcome } from '../../src/lifecycle/base/image-types.ts';
import { type ImageWorld, openWorld, ownKind, pullInto, UNPACKED } from './registry.ts';
import { has, need, needs } from '../needs.ts';

const IMAGES = {
  'app:1': { config: { Cmd: ['true'], User: 'app' }, layers: [{ 'etc/greeting': 'hello' }] },
  'own:1': { base: 'none', layers: [{ 'a/b': 'low', 'a/c': 'low' }, { 'a/.wh.b': '' }] },
  ...(has('program zstd') && { 'zstd:1': { base: 'none', compression: 'zstd', layers: [{ file: 'packed' }] } }),
  'plain:1': { base: 'none', compression: 'none', format: 'docker', layers: [{ file: 'plain' }] },
  'many:1': { base: 'none', platforms: ['arm64/v8', 'amd64', 's390x'], layers: [{ file: 'x' }] },
  'foreign:1': { base: 'none', platforms: ['s390x', 'ppc64le'], layers: [{ file: 'x' }] },
  'private/app:1': { base: 'none', layers: [{ file: 'secret' }] },
  'big:1': { base: 'none', layers: [{ bulk: { size: 3_000_000 }, end: 'whole' }] },
};

let world: ImageWorld;
beforeAll(async () => {
  const auth = { type: 'basic', users: { alice: 's3cret' }, public: PUBLIC };
  world = await openWorld({ images: IMAGES, auth });
});
const PUBLIC = Object.keys(IMAGES)
  .map((name) => name.replace(':1', ''))
  .filter((name) => !name.startsWith('private'));
beforeEach(async () => {
  world.registry.requests.length = 0;
  await world.registry.change({ rules: [], down: false });
});
afterAll(() => world.close());

const alice: Credential = { username: 'alice', password: 's3cret', origin: { type: 'node' } };
const errorOf = (outcome: PullOutcome): string => (outcome.ok ? 'pulled' : outcome.errors.join('\n'));
const layerFile = (root: string, manifest: string, name: string): string =>
  path.join(root, 'mounts', manifest.replace('sha256:', ''), 'l', name);

describe('a pull', needs(UNPACKED), () => {
  it('makes layers, the name and the links to the layers', async () => {
    const store = world.store();
    const name = `${world.host}/app:1`;
    const outcome = await pullInto(store, name);
    if (!outcome.ok) throw new Error(errorOf(outcome));
    const { image } = outcome;
    expect(image).toMatchObject({ name, kind: ownKind, config: { config: { User: 'app', Cmd: ['true'] } } });
    expect(store.find(name)).toEqual(image);
    expect(store.layerLinks(image)).toEqual(['l/0', 'l/1']);
    expect(readFileSync(layerFile(store.root, image.manifest, '0/etc/greeting'), 'utf8')).toBe('hello');
    expect(existsSync(layerFile(store.root, image.manifest, '1/bin/sh'))).toBe(true);
    expect(statSync(store.root).mode & 0o077).toBe(0);
    expect(readdirSync(path.join(store.root, 'ingest'))).toEqual([]);
    expect(readdirSync(path.join(store.root, 'uses'))).toEqual([]);
  });

  it('requests nothing that is stored', async () => {
    const store = world.store();
    await pullInto(store, `${world.host}/app:1`);
    world.registry.requests.length = 0;
    await pullInto(store, `${world.host}/app:1`);
    await expect
      .poll(() => world.registry.requests.map(({ method, path: asked }) => `${method} ${asked}`))
      .toEqual(['HEAD app/manifests/1']);
  });

  it.for(['zstd', 'plain', 'many'])('reads the image %s', async (image, context) => {
    if (image === 'zstd') need(context, 'program zstd');
    expect(errorOf(await pullInto(world.store(), `${world.host}/${image}:1`))).toBe('pulled');
  });

  it('continues where the connection broke', async () => {
    await world.registry.change({ rules: [{ path: 'big/blobs/', method: 'GET', cutAfter: 400_000, times: 3 }] });
    expect(errorOf(await pullInto(world.store(), `${world.host}/big:1`))).toBe('pulled');
    await expect.poll(() => world.registry.requests.map(({ status }) => status)).toContain(206);
  });

  it('begins anew where the registry knows no ranges', async () => {
    const cut = { path: 'big/blobs/', method: 'GET', cutAfter: 400_000, times: 2 };
    await world.registry.change({ rules: [cut, { path: 'big/blobs/', noRange: true }] });
    expect(errorOf(await pullInto(world.store(), `${world.host}/big:1`))).toBe('pulled');
  });

  it('takes no credential to another host', async () => {
    await world.registry.change({ rules: [{ path: 'private/app/blobs/', redirect: true }] });
    const outcome = await pullInto(world.store(), `${world.host}/private/app:1`, { credentials: [alice] });
    expect(errorOf(outcome)).toBe('pulled');
    const elsewhere = (): string[] =>
      world.registry.requests.filter((request) => request.elsewhere === true).map(({ user }) => user);
    await expect.poll(elsewhere).toEqual(['-', '-']);
  });

  it('tries one credential after the other', async () => {
    const wrong = { ...alice, password: 'wrong' };
    const outcome = await pullInto(world.store(), `${world.host}/private/app:1`, { credentials: [wrong, alice] });
    expect(outcome).toMatchObject({ ok: true, credential: 1 });
  });

  it('of two at once, into one store, both succeed', async () => {
    const store = world.store();
    const name = `${world.host}/app:1`;
    const outcomes = await Promise.all([pullInto(store, name), pullInto(store, name)]);
    expect(outcomes.map(errorOf)).toEqual(['pulled', 'pulled']);
    expect(readdirSync(path.join(store.root, 'ingest'))).toEqual([]);
  });

  it('tells how far it is', async () => {
    const told: string[] = [];
    await pullInto(world.store(), `${world.host}/own:1`, {
      onProgress: ({ layers, totalLayers }) => told.push(`${layers} of ${totalLayers}`),
    });
    expect(told.at(-1)).toBe('2 of 2');
  });
});

describe('a failed pull', needs(UNPACKED), () => {
  const about = (image: string): string => `failed to pull and unpack image "${world.host}/${image}"`;

  it('says that there is no such tag', async () => {
    const name = `${world.host}/app:2`;
    expect(errorOf(await pullInto(world.store(), name))).toBe(
      `rpc error: code = NotFound desc = ${about('app:2')}: failed to resolve image: ${name}: not found`,
    );
  });

  it('says that there are no credentials', async () => {
    expect(errorOf(await pullInto(world.store(), `${world.host}/private/app:1`))).toBe(
      `${about('private/app:1')}: failed to resolve image: pull access denied, repository does not exist or may ` +
        'require authorization: authorization failed: no basic auth credentials',
    );
  });

  it.each([
    ['401 Unauthorized', 'private/app', { credentials: [{ ...alice, password: 'wrong' }] }, []],
    ['429 Too Many Requests', 'app', {}, [{ path: 'app/', status: 429 }]],
    ['503 Service Unavailable', 'app', {}, [{ path: 'app/', status: 503 }]],
  ])('says the status %s', async (status, image, options, rules) => {
    await world.registry.change({ rules });
    const url = `http://${world.host}/v2/${image}/manifests/1`;
    expect(errorOf(await pullInto(world.store(), `${world.host}/${image}:1`, options))).toBe(
      `${about(`${image}:1`)}: failed to resolve image: unexpected status from HEAD request to ${url}: ${status}`,
    );
  });

  it('says that no program listens', async () => {
    expect(errorOf(await pullInto(world.store(), '127.0.0.1:1/x:1'))).toBe(
      'failed to pull and unpack image "127.0.0.1:1/x:1": failed to resolve image: failed to do request: ' +
        'Head "https://127.0.0.1:1/v2/x/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  it('says that the index has nothing for this machine', async () => {
    const error = errorOf(await pullInto(world.store(), `${world.host}/foreign:1`));
    expect(error.replace(/[0-9a-f]{64}/, 'INDEX')).toBe(
      'rpc error: code = NotFound desc = get image config descriptor: no match for platform in manifest ' +
        'sha256:INDEX: not found',
    );
  });

  it('says that a configuration has another digest, and leaves nothing', async () => {
    await world.registry.change({ rules: [{ path: 'own/blobs/', corrupt: true, times: 1 }] });
    const store = world.store();
    const error = errorOf(await pullInto(store, `${world.host}/own:1`));
    expect(error.replaceAll(/[0-9a-f]{64}/g, 'HEX')).toBe(
      `rpc error: code = FailedPrecondition desc = ${about('own:1')}: failed commit on ref "config-sha256:HEX": ` +
        'unexpected commit digest sha256:HEX, expected sha256:HEX: failed precondition',
    );
    expect(store.list()).toEqual([]);
  });

  it('says that a layer has another digest; the next pull heals it', async () => {
    const rules = [
      { path: 'big/blobs/', status: 503, times: 0 },
      { path: 'big/blobs/', times: 1 },
    ];
    await world.registry.change({ rules: [...rules, { path: 'big/blobs/', corrupt: true, times: 1 }] });
    const store = world.store();
    expect(errorOf(await pullInto(store, `${world.host}/big:1`))).toMatch(/failed commit on ref "layer-sha256:/);
    expect(errorOf(await pullInto(store, `${world.host}/big:1`))).toBe('pulled');
  });

  it('stops when it is aborted, and leaves what came to the next one', async () => {
    await world.registry.change({ rules: [{ path: 'big/blobs/', bytesPerSecond: 300_000 }] });
    const store = world.store();
    const abort = new AbortController();
    const onProgress = ({ bytes }: { bytes: number }): void => (bytes > 200_000 ? abort.abort() : undefined);
    const first = await pullInto(store, `${world.host}/big:1`, { signal: abort.signal, onProgress });
    expect(first.ok).toBe(false);
    await world.registry.change({ rules: [] });
    world.registry.requests.length = 0;
    expect(errorOf(await pullInto(store, `${world.host}/big:1`))).toBe('pulled');
    await expect.poll(() => world.registry.requests.map(({ status }) => status)).toContain(206);
  });
});
