import { existsSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { LayerKind } from '../../lifecycle/images/types.ts';
import { filesIn, succeeds } from '../../quietly.ts';
import { runHelper } from '../../runtime/helpers/helper.ts';
import { asOwners } from '../unpack/unpack-layer.ts';
import { isOwnerAlive, uniqueName } from './files.ts';
import { hexOf, type ImageStore } from './image-store.ts';
import { Uses } from './uses.ts';

const KINDS: readonly LayerKind[] = ['root', 'mapped', 'single'];

/** Removes what no name and no living process needs: layers, manifests, links, and the rest of killed pulls. */
export async function sweep(store: ImageStore): Promise<void> {
  await removeLeftovers(store);
  const records = store.records();
  const kept = new Set(
    records.flatMap(({ manifest, digest, configDigest }) => [manifest, digest, configDigest].map(hexOf)),
  );
  const layers = new Set(records.flatMap(({ kind, diffIds }) => diffIds.map((diffId) => `${kind}/${hexOf(diffId)}`)));
  for (const kind of KINDS) {
    for (const name of filesIn(path.join(store.root, 'layers', kind))) {
      if (!layers.has(`${kind}/${name}`)) await removeLayer(store, kind, name);
    }
  }
  const used = new Set(
    new Uses(store.root).all().flatMap(({ blobs = [], images = {} }) => [...blobs, ...Object.keys(images)]),
  );
  const isKept = (hex: string): boolean => kept.has(hex) || [...used].some((digest) => hexOf(digest) === hex);
  for (const folder of ['blobs/sha256', 'blobs/sha512', 'mounts']) {
    const gone = filesIn(path.join(store.root, folder)).filter((name) => !isKept(name) && !isBeingMade(name));
    for (const name of gone) await rm(path.join(store.root, folder, name), { recursive: true, force: true });
  }
}

/** Removes partial blobs and layers of processes that have ended. A pull takes up the partial blobs that it needs. */
async function removeLeftovers(store: ImageStore): Promise<void> {
  const folder = path.join(store.root, 'ingest');
  for (const name of filesIn(folder)) {
    if (!isOwnerAlive(name)) await removeLayerTree(path.join(folder, name));
  }
}

/** Removes the layers that killed processes have half unpacked. */
export async function removeHalfLayers(store: ImageStore): Promise<void> {
  const folder = path.join(store.root, 'ingest');
  for (const name of filesIn(folder)) {
    if (/^(fs|gone)-/.test(name) && !isOwnerAlive(name)) await removeLayerTree(path.join(folder, name));
  }
}

/** Files of processes that are at work have their names. */
function isBeingMade(name: string): boolean {
  return name.includes('-') && isOwnerAlive(name);
}

/**
 * Takes a layer away, and looks once more whether a process has begun to use it: that process declared its use before
 * it looked for the layer.
 */
async function removeLayer(store: ImageStore, kind: LayerKind, hex: string): Promise<void> {
  const isUsed = (): boolean =>
    new Uses(store.root).all().some(({ layers = [] }) => layers.some((diffId) => hexOf(diffId) === hex));
  if (isUsed()) return;
  const place = path.join(store.root, 'layers', kind, hex);
  const away = path.join(store.ingestFolder(), `gone-${uniqueName()}`);
  if (!succeeds(() => renameSync(place, away))) return;
  if (isUsed() && !existsSync(place)) renameSync(away, place);
  else await removeLayerTree(away);
}

/** Removes a folder with files of subordinate users, and with folders that deny their owner to write. */
export async function removeLayerTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    for (const kind of ['mapped', 'single'] as const) {
      const [program, ...args] = asOwners(kind, ['rm', '-rf', folder]);
      const outcome = await runHelper({ program, args });
      if (outcome.ok) return;
    }
  }
}
