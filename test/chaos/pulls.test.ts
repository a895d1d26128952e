import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor } from '../../src/images/registry/manifest.ts';
import { hexOf, ImageStore } from '../../src/images/store/image-store.ts';
import { quietly, readQuietly } from '../../src/quietly.ts';
import { type Podrun, workshopForEach } from '../cli/workshop.ts';
import { type ImageWorld, openWorld, ownKind, pullInto } from '../images/registry.ts';
import { ifThere } from '../live-files.ts';
import { PATIENT } from '../patience.ts';
import { assertNothingLeft } from './aftermath.ts';
import { faultsInStore, layersIn, type WholeLayers } from './image-faults.ts';
import { Chance } from './scenario.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 100. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 4) / 2);
const FIRST_SEED = Number(process.env['PODRUN_CHAOS_FIRST_SEED'] ?? 1);

const MIB = 2 ** 20;
const BULK = 3 * MIB;
const SLOW = 6 * MIB;
/** A pull from the slow registry, and a start, take less time than this. */
const LONGEST_MS = 2200;

const PROGRAM = ['sh', '-c', 'trap "exit 0" TERM; echo ready; while :; do sleep 0.1; done'];

const workshop = workshopForEach();
let world: ImageWorld;
let whole: WholeLayers;
let blobs: readonly Descriptor[];
beforeAll(async () => {
  const base = [{ 'data/one': { size: BULK } }, { 'data/two': { size: BULK }, 'etc/.wh.group': '' }];
  const layers = [...base, Object.fromEntries(Array.from({ length: 300 }, (_, each) => [`many/${each}`, `${each}`]))];
  const config = { Cmd: PROGRAM };
  world = await openWorld({ images: { 'app:1': { layers, config }, 'app:2': { layers: base, config } } });
  const store = world.store();
  for (const name of IMAGES) {
    await pullInto(store, `${world.host}/${name}`);
  }
  whole = layersIn(store);
  blobs = (await Promise.all(IMAGES.map(layersOf))).flat();
});
afterAll(() => world.close());

const IMAGES = ['app:1', 'app:2'] as const;
const WITH_IMAGES = { PODRUN_IMAGES: 'auto', PODRUN_RUNTIME: 'namespace' };

const storeOf = (): ImageStore => new ImageStore(`${workshop.stateDir}.images`);

/** The processes that a blow may hit, by what their command lines have. Keepers of containers live on. */
const VICTIMS = {
  puller: ['image-puller'],
  tar: ['tar\0-x'],
  agent: ['run-background-agent'],
  command: ['podrun.js\0apply', 'podrun.js\0pull'],
  all: ['image-puller', 'tar\0-x', 'run-background-agent', 'podrun.js\0apply', 'podrun.js\0pull'],
} satisfies Record<string, readonly string[]>;

/** Kills processes of this workshop. */
function strike(victim: keyof typeof VICTIMS): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    const [line, environment] = ['cmdline', 'environ'].map((file) => readQuietly(`/proc/${pid}/${file}`)) as [
      string,
      string,
    ];
    const isOurs = line.includes(workshop.folder) || environment.includes(workshop.folder);
    if (isOurs && VICTIMS[victim].some((part) => line.includes(part)))
      quietly(() => process.kill(Number(pid), 'SIGKILL'));
  }
}

/** Begins what pulls and starts: a Pod in the foreground or in the background, or a pull alone. */
function begin(chance: Chance, number: number): Podrun {
  const image = `${world.host}/${chance.pick(IMAGES)}`;
  const spec = { restartPolicy: 'Never' as const, terminationGracePeriodSeconds: 1 };
  const manifest = workshop.pod(`pod-${number}`, { ...spec, containers: [{ name: 'main', image }] });
  const command = chance.pick([['apply'], ['apply', '-d'], ['apply', '-d', '--wait'], ['pull', '-f']]);
  return workshop.start([...command, manifest], WITH_IMAGES);
}

/** True when killed pulls have left a blob in parts only, and no layer. Nobody asks for what is whole. */
function hasPart(store: ImageStore): boolean {
  const ingest = path.join(store.root, 'ingest');
  const parts = (ifThere(() => readdirSync(ingest)) ?? []).filter((name) => /^[0-9a-f]{64}-/.test(name));
  const hasPartOnly = ({ digest, size }: Descriptor): boolean => {
    const sizes = parts
      .filter((name) => name.startsWith(`${hexOf(digest)}-`))
      .map((name) => statSync(path.join(ingest, name)).size);
    return sizes.length > 0 && sizes.every((bytes) => bytes > 0 && bytes < size);
  };
  return store.records().length === 0 && layersIn(store).size === 0 && blobs.some(hasPartOnly);
}

/** The layers of an image, as its manifest in the registry has them. */
async function layersOf(name: string): Promise<readonly Descriptor[]> {
  const answer = await fetch(`http://${world.host}/v2/${name.replace(':', '/manifests/')}`);
  return ((await answer.json()) as { layers: Descriptor[] }).layers;
}

describe('pulls and starts that are killed at any moment', needs('namespaces', 'layers of images'), () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
    'leave a store that is whole, and nothing else: seed %i',
    async (seed) => {
      const chance = new Chance(seed);
      const store = storeOf();
      mkdirSync(workshop.stateDir);
      await world.registry.change({ rules: [{ path: '/blobs/', bytesPerSecond: SLOW }] });
      for (let number = chance.between(1, 3); number > 0; number -= 1) {
        const podrun = begin(chance, number);
        const other = chance.is(0.4) ? begin(chance, number + 10) : undefined;
        for (let blows = chance.between(1, 2); blows > 0; blows -= 1) {
          await sleep(chance.between(0, LONGEST_MS / blows));
          strike(chance.pick(['puller', 'tar', 'agent', 'command', 'all']));
          expect(faultsInStore(store, whole)).toEqual([]);
        }
        strike('all');
        await Promise.all([podrun.ended, other?.ended]);
        expect(faultsInStore(store, whole)).toEqual([]);
      }
      await world.registry.change({ rules: [] });
      world.registry.requests.length = 0;
      const goesOn = hasPart(store);
      const names = IMAGES.map((name) => `${world.host}/${name}`);
      expect(await workshop.start(['pull', ...names]).ended).toMatchObject({ exitCode: 0 });
      const takesUp = (): boolean => !goesOn || world.registry.requests.some(({ status }) => status === 206);
      await expect.poll(takesUp, PATIENT).toBe(true);
      expect(store.records().map(({ kind }) => kind)).toEqual([ownKind, ownKind]);
      expect(layersIn(store)).toEqual(whole);

      // Agents that were killed have left Pods that run: the next one takes them over.
      expect(await workshop.start(['delete', 'pods', '--all'], WITH_IMAGES).ended).toMatchObject({ exitCode: 0 });
      await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
      await assertNothingLeft(workshop, { wasKilled: true });
      expect(await workshop.start(['image', 'prune', '--all']).ended).toMatchObject({ exitCode: 0 });
      for (const folder of ['images', 'ingest', 'mounts', 'uses', 'pulling', 'pulled', `layers/${ownKind}`]) {
        const place = path.join(store.root, folder);
        expect([folder, existsSync(place) ? readdirSync(place) : []]).toEqual([folder, []]);
      }
    },
  );
});
