import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { MemoryRecords } from '../../src/store/records/memory-records.ts';
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

/** The places of all objects but Pods. */
export const PLACES = ['files', 'memory'] as const;

/** Returns what opens the stores of one new folder, whose objects but Pods are in that place. */
export function newPlace(place: (typeof PLACES)[number]): (clock?: Clock) => FileStore {
  const root = temporaryFolder();
  const records = place === 'memory' ? new MemoryRecords() : undefined;
  return (clock = new SystemClock()) => new FileStore({ root, clock, processes: realProcesses, records });
}
