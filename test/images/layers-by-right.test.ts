import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import type { ImageAccess } from '../../src/lifecycle/images/access.ts';
import type { Credential, PresentImage, PullOutcome } from '../../src/lifecycle/base/image-types.ts';
import { PartialBlob } from '../../src/images/store/partial-blob.ts';
import { PullRecords } from '../../src/images/store/pull-records.ts';
import type { ImageStore } from '../../src/images/store/image-store.ts';
import { loadImages } from '../../src/images/load.ts';
import { needs } from '../needs.ts';
import { archiveOf } from './archive.ts';
import { layerOf, openOddRegistry, servedImage, sha256, type ImageParts } from './odd-registry.ts';
import { type ImageWorld, openWorld, ownKind, pullInto, UNPACKED } from './registry.ts';

let world: ImageWorld;
beforeAll(async () => {
  const images = {
    'private/app:1': { base: 'none', config: { Env: ['KEY=secret'] }, layers: [{ file: 'secret' }] },
    'private/other:1': { base: 'none', config: {}, layers: [{ file: 'secret' }] },
  };
  world = await openWorld({ images, auth: { type: 'basic', users: { alice: 's3cret' }, public: [] } });
});
afterAll(() => world.close());

const origin = { type: 'secret', uid: 'u', namespace: 'team', name: 'pull', hash: 'h' } as const;
const alice: Credential = { username: 'alice', password: 's3cret', origin };
const errorOf = (outcome: PullOutcome): string => (outcome.ok ? 'pulled' : outcome.errors.join('\n'));

let store: ImageStore;
let image: PresentImage;
let diffIds: readonly string[];

/** A Pod has pulled a private image with its Secret. */
beforeEach(async () => {
  store = world.store();
  const outcome = await pullInto(store, `${world.host}/private/app:1`, { credentials: [alice] });
  if (!outcome.ok) throw new Error(errorOf(outcome));
  ({ image } = outcome);
  diffIds = image.config.rootfs.diff_ids;
  record({ kubernetesSecrets: [{ uid: 'u', namespace: 'team', name: 'pull', credentialHash: 'h' }] });
});

function record(access: ImageAccess[string]): void {
  new PullRecords(store).setAccess(
    image.configDigest,
    { [`${world.host}/private/app`]: access },
    '2026-01-01T00:00:00Z',
  );
}

/** Pulls an image of a registry of somebody else, without a credential. */
async function pullElsewhere(parts: ImageParts, digest?: string): Promise<PullOutcome> {
  const registry = await openOddRegistry(servedImage(parts), ({ method, path: asked }, response) => {
    if (digest === undefined || method !== 'HEAD' || !asked.includes('manifests')) return false;
    response.setHeader('docker-content-digest', digest).end();
    return true;
  });
  onTestFinished(() => registry.close());
  return pullInto(store, `${registry.host}/evil/app:1`);
}

const OWN = layerOf({ name: 'own', text: 'own' });

describe('a user who knows the digests of a private image', needs(UNPACKED), () => {
  it('cannot run its layer with a layer of his own in its place', async () => {
    const outcome = await pullElsewhere({ layers: [OWN], diffIds });
    expect(errorOf(outcome)).toMatch(/failed to extract layer sha256:\w+: wrong diff id calculated on extraction/);
    expect(store.records()).toHaveLength(1);
  });

  it('cannot run its layer by the digest of its blob, which his registry does not have', async () => {
    const { layers } = JSON.parse(String(store.readBlob(image.manifest))) as { layers: object[] };
    const outcome = await pullElsewhere({ diffIds, manifest: (usual) => ({ ...usual, layers }) });
    expect(errorOf(outcome)).toMatch(/content at \S+ not found: not found/);
  });

  it('cannot read its configuration', async () => {
    const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: image.configDigest, size: 10 };
    const outcome = await pullElsewhere({ layers: [OWN], manifest: (usual) => ({ ...usual, config }) });
    expect(errorOf(outcome)).toMatch(/content at \S+ not found: not found/);
  });

  it('cannot name its manifest', async () => {
    expect(errorOf(await pullElsewhere({ layers: [OWN] }, image.manifest))).toMatch(/unexpected commit digest/);
  });

  it('cannot take up what is left of a pull of its layer', async () => {
    const secret = Buffer.from('secret');
    const left = await PartialBlob.open(store, sha256(secret), `${world.host}/private/app`);
    left.write(secret);
    left.leave();
    const layers = [{ mediaType: 'layer', digest: sha256(secret), size: secret.length }];
    const outcome = await pullElsewhere({ diffIds: [sha256('x')], manifest: (usual) => ({ ...usual, layers }) });
    expect(errorOf(outcome)).toMatch(/content at \S+ not found: not found/);
  });
});

it('an archive that names the layer of a private image has to bring it', needs(UNPACKED), async () => {
  const config = Buffer.from(JSON.stringify({ ...image.config, rootfs: { type: 'layers', diff_ids: diffIds } }));
  const manifest = JSON.stringify([{ Config: 'c', RepoTags: ['evil:1'], Layers: ['layer'] }]);
  const files = { 'manifest.json': manifest, c: String(config), layer: String(OWN) };
  const archive = Readable.from([archiveOf(Object.entries(files).map(([name, text]) => ({ name, text })))]);
  const platform = { os: 'linux', architecture: image.config.architecture ?? '' };
  const loading = loadImages(archive, { store, clock: new SystemClock(), kind: ownKind, platform });
  await expect(loading).rejects.toThrow(/wrong diff id calculated on extraction/);
});

describe('a stored layer', needs(UNPACKED), () => {
  const blobRequests = (): string[] =>
    world.registry.requests.filter(({ status, method }) => status === 200 && method === 'GET').map((each) => each.path);

  it('is not fetched again for the repository of its image', async () => {
    world.registry.requests.length = 0;
    await pullInto(store, `${world.host}/private/app:1`, { credentials: [alice] });
    expect(blobRequests()).toEqual([]);
  });

  it('comes again with an image of another repository that has it', async () => {
    world.registry.requests.length = 0;
    const outcome = await pullInto(store, `${world.host}/private/other:1`, { credentials: [alice] });
    expect(errorOf(outcome)).toBe('pulled');
    expect(blobRequests().filter((each) => each.includes('private/other/blobs'))).toHaveLength(2);
    const file = path.join(store.layerFolder(ownKind, diffIds[0] ?? ''), 'file');
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('secret');
  });

  it('is not fetched again for any repository when every Pod may use its image', async () => {
    record({ nodePodsAccessible: true });
    expect(errorOf(await pullElsewhere({ layers: [OWN], diffIds }))).toBe('pulled');
  });
});
