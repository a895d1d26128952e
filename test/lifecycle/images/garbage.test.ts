import { expect, it } from 'vitest';
import { type AgedImage, outdatedImages, removableImages } from '../../../src/lifecycle/images/settings.ts';

const image = (name: string, pulledAtMs: number, lastUsedAtMs: number, isInUse = false): AgedImage => ({
  name,
  pulledAtMs,
  lastUsedAtMs,
  isInUse,
});
const images = [image('new', 990, 995), image('old', 0, 100), image('older', 0, 50), image('used', 0, 10, true)];
const names = (found: readonly AgedImage[]): string[] => found.map(({ name }) => name);

it('images go that were unused for longer than the maximum age', () => {
  expect(names(outdatedImages(images, { maximumAgeMs: 900 }, 1000))).toEqual(['older']);
  expect(outdatedImages(images, { maximumAgeMs: 0 }, 1000)).toEqual([]);
});

it('the least recently used image goes first, and none that is younger than the minimum age', () => {
  expect(names(removableImages(images, { minimumAgeMs: 100 }, 1000))).toEqual(['older', 'old']);
  expect(names(removableImages(images, { minimumAgeMs: 0 }, 1000))).toEqual(['older', 'old', 'new']);
});
