import { mkdtempSync, rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const SHARED_MEMORY = '/dev/shm';
/** A new folder in memory, removed after the test. */
export function memoryPlace(): string {
  const place = mkdtempSync(`${SHARED_MEMORY}/podrun-test-`);
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}
