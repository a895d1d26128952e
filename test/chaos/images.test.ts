import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageStore } from '../../src/images/store/image-store.ts';
import { childrenOf } from '../../src/runtime/watch/process-table.ts';
import { type ImageWorld, openWorld, ownKind, pullInto } from '../images/registry.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { ifThere } from '../live-files.ts';
import { GONE_WITHIN_MS } from '../patience.ts';
import { assertNothingLeft } from './aftermath.ts';
import { Chance } from './scenario.ts';

/** `npm run chaos` tries 200 of the other seeds, and a tenth as many of these. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 30) / 10);
/** A pull and the start of a container take about this long. */
const WHOLE_MS = 1500;

const workshop = workshopForEach();
const layers = [1, 2, 3].map((number) => ({ [`data/${number}`]: { size: 200_000 }, [`etc/${number}`]: `${number}` }));
let world: ImageWorld;
let clean: string[];

beforeAll(async () => {
  const config = { Entrypoint: ['sh', '-c'], Cmd: ['cat /etc/1 /etc/2 /etc/3; sleep 0.2'] };
  world = await openWorld({
    images: { 'app:1': { config, layers } },
    rules: [{ path: 'blobs', bytesPerSecond: 900_000 }],
  });
  const store = world.store();
  await pullInto(store, `${world.host}/app:1`);
  clean = treesOf(store);
});
afterAll(() => world.close());

/** A line for each file of each layer, with the digest of its content. */
function treesOf(store: ImageStore): string[] {
  const folder = path.join(store.root, 'layers', ownKind);
  return names(folder).flatMap((layer) => treeOf(path.join(folder, layer), layer));
}

function treeOf(file: string, name: string): string[] {
  const stats = lstatSync(file);
  const line = `${name} ${stats.mode.toString(8)} ${stats.uid}`;
  if (stats.isDirectory()) {
    return [line, ...names(file).flatMap((entry) => treeOf(path.join(file, entry), `${name}/${entry}`))];
  }
  if (stats.isSymbolicLink()) return [`${line} -> ${readlinkSync(file)}`];
  return [stats.isFile() ? `${line} ${createHash('sha256').update(readFileSync(file)).digest('hex')}` : line];
}

const names = (folder: string): string[] => ifThere(() => readdirSync(folder).toSorted()) ?? [];

/** The process that pulls, while there is one. */
function pullerOf(pid: number): number | undefined {
  return childrenOf(pid).find((child) =>
    ifThere(() => readFileSync(`/proc/${child}/cmdline`, 'utf8'))?.includes('image-puller'),
  );
}

describe.runIf(process.platform === 'linux')('the images of a podrun', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'are whole when it, or the process that pulls for it, is killed: seed %i',
    { timeout: 120_000 },
    async (seed) => {
      const chance = new Chance(seed);
      const image = `${world.host}/app:1`;
      const pod = workshop.pod('app', { restartPolicy: 'Never', containers: [{ name: 'main', image }] });
      const store = new ImageStore(`${workshop.stateDir}.images`);
      for (let round = 0; round < 3; round += 1) {
        const podrun = workshop.start(['apply', pod], { PODRUN_IMAGES: 'registry' });
        await sleep(chance.between(0, WHOLE_MS));
        const victim = chance.is(0.5) ? podrun.pid : (pullerOf(podrun.pid) ?? podrun.pid);
        ifThere(() => process.kill(victim, 'SIGKILL'));
        if (victim !== podrun.pid) podrun.signal('SIGTERM');
        await podrun.ended;
        for (const found of store.list()) expect(store.layerLinks(found)).toHaveLength(4);
        expect(clean).toEqual(expect.arrayContaining(treesOf(store)));
      }
      const podrun = workshop.start(['apply', pod], { PODRUN_IMAGES: 'registry' });
      expect(await podrun.ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('123') });
      expect(treesOf(store)).toEqual(clean);
      await workshop.run(['image', 'prune']);
      for (const folder of ['ingest', 'pulling', 'uses']) {
        await expect.poll(() => names(path.join(store.root, folder)), { timeout: GONE_WITHIN_MS }).toEqual([]);
      }
      await workshop.run(['delete', 'pods', '--all']);
      await assertNothingLeft(workshop, { wasKilled: true });
    },
  );
});
