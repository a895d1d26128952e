import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { removeLargeTree } from '../../remove-tree.ts';
import { filesIn, succeeds } from '../../quietly.ts';
import { runHelper } from '../../runtime/index.ts';
import { asOwners } from '../unpack/unpack-layer.ts';
import { isOwnerAlive, uniqueName } from './files.ts';
import { hexOf, type ImageStore } from './image-store.ts';
import { PullRecords } from './pull-records.ts';
import { Uses } from './uses.ts';

/** Folders of unpacked layers. */
const LAYERS = ['layers/root', 'layers/mapped', 'layers/single'];
/** Folders whose files are named by digests of manifests and configurations. */
const BLOBS = ['blobs/sha256', 'blobs/sha512', 'mounts'];

/**
 * Removes what no name and no living process needs: layers, manifests, links, and the rest of killed pulls. Returns the
 * number of layers.
 */
export async function sweep(store: ImageStore): Promise<number> {
  await removeLeftovers(store, /./);
  let count = 0;
  for (const folder of [...LAYERS, ...BLOBS]) {
    const needed = neededIn(store, folder);
    for (const name of filesIn(path.join(store.root, folder))) {
      if (needed.has(name) || isBeingMade(name) || !(await removeUnneeded(store, folder, name))) continue;
      if (LAYERS.includes(folder)) count += 1;
    }
  }
  new PullRecords(store).sweep();
  return count;
}

/** The names in a folder of the store that an image or a process needs. */
function neededIn(store: ImageStore, folder: string): ReadonlySet<string> {
  // First the uses: a pull ends its use after it has written the name.
  const uses = new Uses(store.root).all();
  const records = store.records();
  if (BLOBS.includes(folder)) {
    const used = uses.flatMap(({ blobs = [], images = {} }) => [...blobs, ...Object.keys(images)]);
    const named = records.flatMap(({ manifest, digest, configDigest }) => [manifest, digest, configDigest]);
    return new Set([...used, ...named].map(hexOf));
  }
  const own = records.filter(({ kind }) => folder === `layers/${kind}`);
  const layers = [...own.flatMap(({ diffIds }) => diffIds), ...uses.flatMap((use) => use.layers ?? [])];
  return new Set(layers.map(hexOf));
}

/** Files of processes that are at work have their names. */
function isBeingMade(name: string): boolean {
  return name.includes('-') && isOwnerAlive(name);
}

/**
 * Takes something away, and looks once more whether a process has begun to use it: that process declared its use before
 * it looked for it.
 */
async function removeUnneeded(store: ImageStore, folder: string, name: string): Promise<boolean> {
  const place = path.join(store.root, folder, name);
  const trash = path.join(store.ingestFolder(), `gone-${uniqueName()}`);
  if (!succeeds(() => renameSync(place, trash))) return false;
  if (neededIn(store, folder).has(name) && !existsSync(place)) {
    renameSync(trash, place);
    return false;
  }
  await removeLayerTree(trash);
  return true;
}

/** Removes the layers that killed processes have half unpacked. */
export function removeHalfLayers(store: ImageStore): Promise<void> {
  return removeLeftovers(store, /^(fs|gone|load)-/);
}

/** Removes what processes that have ended were at. A pull takes up the partial blobs that it needs. */
async function removeLeftovers(store: ImageStore, pattern: RegExp): Promise<void> {
  const folder = path.join(store.root, 'ingest');
  for (const name of filesIn(folder)) {
    if (pattern.test(name) && !isOwnerAlive(name)) await removeLayerTree(path.join(folder, name));
  }
}

/** Removes a folder with files of subordinate users, and with folders that deny their owner to write. */
export async function removeLayerTree(folder: string): Promise<void> {
  try {
    await removeLargeTree(folder);
  } catch {
    for (const kind of ['mapped', 'single'] as const) {
      const [program, ...args] = asOwners(kind, ['rm', '-rf', folder]);
      const outcome = await runHelper({ program, args });
      if (outcome.ok) return;
    }
  }
}
