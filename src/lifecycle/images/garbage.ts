import type { ImageGarbageSettings } from './settings.ts';

/** An image, and what decides whether it may go. */
export interface AgedImage {
  readonly name: string;
  readonly pulledAtMs: number;
  readonly lastUsedAtMs: number;
  readonly isInUse: boolean;
}

/**
 * The images to remove because they have been unused for too long. Source: pkg/kubelet/images/image_gc_manager.go
 * freeOldImages.
 */
export function outdatedImages<T extends AgedImage>(
  images: readonly T[],
  { maximumAgeMs }: Pick<ImageGarbageSettings, 'maximumAgeMs'>,
  nowMs: number,
): T[] {
  if (maximumAgeMs === 0) return [];
  return leastUsed(images).filter(({ lastUsedAtMs }) => nowMs - lastUsedAtMs > maximumAgeMs);
}

/**
 * The images that go while the disk is too full, in the order in which they go. Source: pkg/kubelet/images/
 * image_gc_manager.go freeSpace.
 */
export function removableImages<T extends AgedImage>(
  images: readonly T[],
  { minimumAgeMs }: Pick<ImageGarbageSettings, 'minimumAgeMs'>,
  nowMs: number,
): T[] {
  return leastUsed(images).filter(({ pulledAtMs }) => nowMs - pulledAtMs >= minimumAgeMs);
}

/** The unused images, the least recently used first; among equals the oldest first. */
function leastUsed<T extends AgedImage>(images: readonly T[]): T[] {
  return images
    .filter(({ isInUse }) => !isInUse)
    .toSorted((a, b) => a.lastUsedAtMs - b.lastUsedAtMs || a.pulledAtMs - b.pulledAtMs);
}
