import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { ImageStore } from '../../src/images/store/image-store.ts';
import { hexOf } from '../../src/images/store/image-store.ts';
import { ifThere } from '../live-files.ts';

/** The digests of whole layers, by the names of their folders. */
export type WholeLayers = ReadonlyMap<string, string>;

/** The layers of a store that nobody has disturbed. */
export function layersIn(store: ImageStore): WholeLayers {
  return new Map(layerFolders(store).map((folder) => [path.basename(folder), treeDigest(folder)]));
}

/**
 * The faults of a store, whatever has been killed: a layer that is visible and not whole, a blob with other bytes
 * than those of its digest, a name whose image lacks a part. Processes may be at work in it.
 */
export function faultsInStore(store: ImageStore, whole: WholeLayers): string[] {
  const layers = layerFolders(store).filter((folder) => treeDigest(folder) !== whole.get(path.basename(folder)));
  const blobs = namesIn(path.join(store.root, 'blobs/sha256')).filter((name) => {
    const bytes = ifThere(() => readFileSync(path.join(store.root, 'blobs/sha256', name)));
    return !name.startsWith('.') && bytes !== undefined && sha256(bytes) !== name;
  });
  const torn = store.records().filter(({ name, diffIds, kind, configDigest }) => {
    const isWhole =
      store.find(name) !== undefined &&
      store.config(configDigest) !== undefined &&
      diffIds.every((diffId) => whole.has(hexOf(diffId)) && namesIn(store.layerFolder(kind, diffId)).length > 0);
    return !isWhole;
  });
  return [
    ...layers.map((folder) => `layer ${folder} is not whole`),
    ...blobs.map((name) => `blob ${name} has other bytes`),
    ...torn.map(({ name }) => `image ${name} lacks a part`),
  ];
}

function layerFolders({ root }: ImageStore): string[] {
  const kinds = ['root', 'mapped', 'single'].map((kind) => path.join(root, 'layers', kind));
  return kinds.flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)));
}

/** A digest of everything in a folder: names, kinds, modes, owners, contents. */
function treeDigest(folder: string): string {
  const hash = createHash('sha256');
  const add = (file: string): void => {
    const stats = lstatSync(file);
    hash.update(`${path.relative(folder, file)} ${stats.mode} ${stats.uid} ${stats.gid} ${stats.rdev}\n`);
    if (stats.isSymbolicLink()) hash.update(readlinkSync(file));
    if (stats.isFile()) hash.update(readFileSync(file));
    if (stats.isDirectory()) for (const name of readdirSync(file).toSorted()) add(path.join(file, name));
  };
  add(folder);
  return hash.digest('hex');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function namesIn(folder: string): string[] {
  return ifThere(() => readdirSync(folder)) ?? [];
}
