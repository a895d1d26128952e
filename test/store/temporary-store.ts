import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { FileStore } from '../../src/store/file-store.ts';
import type { ProcessLookup } from '../../src/store/disk/known-process.ts';

/** The real processes of this machine. */
export const realProcesses: ProcessLookup = localProcesses;

/** A new folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openStore(root: string, clock: Clock = new SystemClock()): FileStore {
  return new FileStore({ root, clock, processes: realProcesses });
}
