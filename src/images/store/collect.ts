import { statfsSync } from 'node:fs';
import { type AgedImage, type ImageGarbageSettings, outdatedImages, removableImages } from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import type { ImageStore } from './image-store.ts';
import { sweep } from './sweep.ts';
import { Uses } from './uses.ts';

export interface ImageCollection {
  readonly settings: ImageGarbageSettings;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** True: nothing is removed. */
  readonly isDryRun?: boolean;
  /** Called with the name of each image that goes. */
  readonly onRemoved?: (name: string) => void;
}

/** Removes images that were not used for long, then more while the disk is too full. Images in use stay. */
export async function collectImages(store: ImageStore, collection: ImageCollection): Promise<void> {
  const { settings, nowMs, isDryRun = false, onRemoved } = collection;
  const remove = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      if (!isDryRun) store.removeName(name);
      onRemoved?.(name);
    }
    if (names.length > 0 && !isDryRun) await sweep(store);
  };
  const images = agedImages(store);
  const outdated = outdatedImages(images, settings, nowMs).map(({ name }) => name);
  await remove(outdated);
  const { highPercent, lowPercent } = settings;
  if (highPercent >= 100 || usedPercent(store) <= highPercent) return;
  for (const { name } of removableImages(images, settings, nowMs)) {
    if (outdated.includes(name)) continue;
    await remove([name]);
    // Without a removal, the first candidates are all that is known.
    if (isDryRun || usedPercent(store) <= lowPercent) return;
  }
}

function agedImages(store: ImageStore): AgedImage[] {
  const used = new Set(new Uses(store.root).all().flatMap(({ images = {} }) => Object.keys(images)));
  return store.records().map(({ name, manifest, pulledAt, lastUsedAt }) => ({
    name,
    pulledAtMs: Date.parse(pulledAt),
    lastUsedAtMs: Date.parse(lastUsedAt),
    isInUse: used.has(manifest),
  }));
}

function usedPercent(store: ImageStore): number {
  const stats = quietly(() => statfsSync(store.root));
  if (stats === undefined || stats.blocks === 0) return 0;
  // As df(1) and the kubelet count: what only root may use is used.
  return 100 - (stats.bavail * 100) / stats.blocks;
}
