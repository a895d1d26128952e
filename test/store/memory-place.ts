import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;

/** True when this machine has a tmpfs for tests. macOS has none. */
export const hasMemory: boolean = process.platform === 'linux' && isTmpfs(SHARED_MEMORY);

/** A new folder in memory, removed after the test. */
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
