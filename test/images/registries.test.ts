import { describe, expect, it } from 'vitest';
import { parseChallenges } from '../../src/images/registry/tokens.ts';
import { placesOf, proxyFor } from '../../src/images/registry/endpoints.ts';
import { choosePlatform, type Descriptor, parseManifest } from '../../src/images/registry/manifest.ts';
import type { Credential, RegistrySettings } from '../../src/lifecycle/base/image-types.ts';
import { type ImageWorld, openWorld, pullInto, UNPACKED } from './registry.ts';
import { needs } from '../needs.ts';

const SETTINGS: RegistrySettings = {
  plainHttp: false,
  insecureSkipTlsVerify: false,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  mirrors: [],
};
const alice: Credential = { username: 'alice', password: 's3cret', origin: { type: 'node' } };
const IMAGES = {
  'app:1': { base: 'none', layers: [{ file: 'x' }] },
  'open:1': { base: 'none', layers: [{ file: 'x' }] },
};

async function within(said: object, work: (world: ImageWorld) => Promise<void>): Promise<void> {
  const world = await openWorld({ images: IMAGES, ...said });
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

describe('a registry', needs(UNPACKED), () => {
  it('with tokens gets them with a name, and without one', async () => {
    await within({ auth: { type: 'token', users: { alice: 's3cret' }, public: ['open'] } }, async (world) => {
      const [app, open] = [`${world.host}/app:1`, `${world.host}/open:1`];
      expect(await pullInto(world.store(), app, { credentials: [alice] })).toMatchObject({ ok: true });
      expect(await pullInto(world.store(), open)).toMatchObject({ ok: true });
      const wrong = await pullInto(world.store(), app, { credentials: [{ ...alice, password: 'wrong' }] });
      expect(wrong).toMatchObject({
        errors: [expect.stringContaining('failed to resolve image: unexpected status from HEAD request')],
      });
    });
  });

  it(
    'of this machine may have any certificate, and must have the right one where a CA is named',
    needs('program openssl'),
    async () => {
      await within({ tls: true }, async (world) => {
        const name = `${world.host}/app:1`;
        expect(await pullInto(world.store(), name)).toMatchObject({ ok: true });
        const caFile = world.registry.fill('${registry.ca}'); // oxlint-disable-line no-template-curly-in-string
        const trusting = { registries: { [world.host]: { ...SETTINGS, caFile } } };
        expect(await pullInto(world.store(), name, trusting)).toMatchObject({ ok: true });
      });
      await within({ tls: true }, async (other) => {
        await within({ tls: true }, async (world) => {
          const caFile = other.registry.fill('${registry.ca}'); // oxlint-disable-line no-template-curly-in-string
          const settings = { registries: { [world.host]: { ...SETTINGS, caFile } } };
          const outcome = await pullInto(world.store(), `${world.host}/app:1`, settings);
          expect(outcome).toMatchObject({ errors: [expect.stringContaining('tls: failed to verify certificate')] });
        });
      });
    },
  );

  it('is asked when its mirror has nothing, and gets the credential alone', async () => {
    await within({ auth: { type: 'basic', users: { alice: 's3cret' } } }, async (world) => {
      await within({ images: {} }, async (mirror) => {
        const registries = { [world.host]: { ...SETTINGS, mirrors: [`${mirror.host}/copies`] } };
        const outcome = await pullInto(world.store(), `${world.host}/app:1`, { registries, credentials: [alice] });
        expect(outcome).toMatchObject({ ok: true });
        await expect
          .poll(() => mirror.registry.requests.map(({ path, user }) => `${path} ${user}`))
          .toEqual(['copies/app/manifests/1 -']);
      });
    });
  });
});

it('a challenge is read, however it is written', () => {
  expect(parseChallenges('Bearer realm="https://a/token",service="b, c",scope="x:y:pull"')).toEqual([
    { scheme: 'bearer', parameters: { realm: 'https://a/token', service: 'b, c', scope: 'x:y:pull' } },
  ]);
  expect(parseChallenges('Basic realm="r \\"q\\"", BEARER realm=t').map(({ scheme }) => scheme)).toEqual([
    'bearer',
    'basic',
  ]);
  expect(parseChallenges('Negotiate')).toEqual([]);
  expect(parseChallenges(`Bearer ${'a='.repeat(20_000)}`)).toHaveLength(1);
});

it('a proxy is for other machines than this one, and for hosts that NO_PROXY does not name', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'internal.example, .corp.example,10.0.0.1:5000' };
  const proxied = (url: string): boolean => proxyFor(new URL(url), env) !== undefined;
  expect(['https://docker.io', 'https://10.0.0.1/'].map(proxied)).toEqual([true, true]);
  expect(['https://127.0.0.1:5000', 'https://localhost', 'http://docker.io'].map(proxied)).toEqual([
    false,
    false,
    false,
  ]);
  const named = ['https://internal.example', 'https://a.internal.example', 'https://a.corp.example'];
  expect(named.map(proxied)).toEqual([false, false, false]);
  expect(['https://corp.example', 'https://10.0.0.1:5000'].map(proxied)).toEqual([true, false]);
});

it('docker.io is another host', () => {
  expect(placesOf('docker.io', 'library/nginx', {})).toEqual([
    { host: 'registry-1.docker.io', repository: 'library/nginx', isOwn: true },
  ]);
});

it('the manifest for a machine is the one of its variant', () => {
  const of = (architecture: string, variant?: string): Descriptor => ({
    mediaType: '',
    digest: `${architecture}/${variant ?? ''}`,
    size: 1,
    platform: { os: 'linux', architecture, variant },
  });
  const index = [of('unknown'), of('arm', 'v6'), of('arm', 'v7'), of('arm64'), of('amd64', 'v3'), of('amd64')];
  const chosen = (architecture: string, variant?: string): string | undefined =>
    choosePlatform(index, { os: 'linux', architecture, variant })?.digest;
  expect([chosen('amd64'), chosen('arm64'), chosen('arm'), chosen('arm', 'v6'), chosen('s390x')]).toEqual([
    'amd64/',
    'arm64/',
    'arm/v7',
    'arm/v6',
    undefined,
  ]);
});

it('a manifest of schema 1 is another format, and one with an impossible digest is damaged', () => {
  const parsed = (value: object): string => parseManifest(Buffer.from(JSON.stringify(value)), 'x/y').type;
  const good = { mediaType: 'c', digest: `sha256:${'0'.repeat(64)}`, size: 1 };
  expect(parsed({ schemaVersion: 1, fsLayers: [] })).toBe('foreign');
  expect(parsed({ schemaVersion: 2, config: good, layers: [{ ...good, digest: 'sha256:../../etc' }] })).toBe('damaged');
  expect(parsed({ schemaVersion: 2, config: good, layers: [good] })).toBe('manifest');
  expect(parseManifest(Buffer.from('{'), '').type).toBe('damaged');
});
