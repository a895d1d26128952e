import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ImagePuller } from '../../src/images/puller/image-puller.ts';
import type { PullRequest } from '../../src/lifecycle/base/image-types.ts';
import { killProcess } from '../../src/runtime/watch/kill.ts';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { ARCHITECTURES, type ImageWorld, openWorld, ownKind, UNPACKED } from './registry.ts';
import { needs } from '../needs.ts';

let world: ImageWorld;
beforeAll(async () => {
  world = await openWorld({ images: { 'big:1': { base: 'none', layers: [{ bulk: { size: 3_000_000 } }] } } });
});
afterAll(() => world.close());

const requestFor = (image: string): PullRequest => ({
  name: `${world.host}/${image}`,
  platform: { os: 'linux', architecture: ARCHITECTURES[process.arch] ?? process.arch },
  credentials: [],
  registries: {},
  kind: ownKind,
});
const nothing = (): undefined => undefined;

it('pulls an image once for two who wait for it, and tells failures', needs(UNPACKED), async () => {
  const store = world.store();
  const puller = new ImagePuller(store.root, {});
  world.registry.requests.length = 0;
  const request = requestFor('big:1');
  const [first, second, missing] = await Promise.all([
    puller.pull(request, { onProgress: nothing }),
    puller.pull(request, { onProgress: nothing }),
    puller.pull(requestFor('none:1'), { onProgress: nothing }),
  ]);
  expect(first).toMatchObject({ ok: true, image: { name: request.name } });
  expect(second).toEqual(first);
  expect(missing).toMatchObject({ ok: false, errors: [expect.stringMatching(/not found$/)] });
  await expect.poll(() => world.registry.requests.filter(({ method }) => method === 'GET').length).toBe(3);
});

it('continues after the process that pulled was killed, with the bytes that it had', needs(UNPACKED), async () => {
  const store = world.store();
  await world.registry.change({ rules: [{ path: 'big/blobs/', bytesPerSecond: 300_000 }] });
  const killed = new ImagePuller(store.root, {});
  const onProgress = ({ bytes }: { bytes: number }): void => {
    if (bytes > 100_000) killOwners(store.ingestFolder());
  };
  const outcome = await killed.pull(requestFor('big:1'), { onProgress });
  expect(outcome).toMatchObject({ ok: false, errors: [expect.stringContaining('is gone')] });
  expect(store.list()).toEqual([]);
  await world.registry.change({ rules: [] });
  world.registry.requests.length = 0;
  // The same object starts another process.
  expect(await killed.pull(requestFor('big:1'), { onProgress: nothing })).toMatchObject({ ok: true });
  await expect.poll(() => world.registry.requests.map(({ status }) => status)).toContain(206);
  expect(readdirSync(path.join(store.root, 'ingest'))).toEqual([]);
});

it('ends a pull that no Pod waits for any more', needs(UNPACKED), async () => {
  const store = world.store();
  await world.registry.change({ rules: [{ path: 'big/blobs/', bytesPerSecond: 300_000 }] });
  const abort = new AbortController();
  const onProgress = ({ bytes }: { bytes: number }): void => (bytes > 0 ? abort.abort() : undefined);
  const puller = new ImagePuller(store.root, {});
  const outcome = await puller.pull(requestFor('big:1'), { onProgress, signal: abort.signal });
  expect(outcome).toEqual({ ok: false, errors: ['context canceled'] });
  await expect
    .poll(() => readdirSync(path.join(store.root, 'ingest')).filter((name) => !name.endsWith('-0')))
    .toEqual([]);
  await world.registry.change({ rules: [] });
});

/** Kills the processes that have files in the folder. */
function killOwners(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid, startTime = ''] = /-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== undefined && startTimeOf(Number(pid)) === startTime) killProcess({ pid: Number(pid), startTime });
  }
}
