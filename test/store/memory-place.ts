import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;

/** Has this machine a tmpfs that tests can use? macOS has none. */
export const hasMemory: boolean = process.platform === 'linux' && isTmpfs(SHARED_MEMORY);

/** A folder of its own in memory, removed after the test. */
export function memoryPlace(): string {
  const place = mkdtempSync(`${SHARED_MEMORY}/podrun-test-`);
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

function isTmpfs(place: string): boolean {
  try {
    return statfsSync(place).type === TMPFS;
  } catch {
    return false;
  }
}
