import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Obstacle } from '../../api/machine.ts';
import { placeTag } from '../../place.ts';
import { errnoOf, errnoText } from '../errno.ts';

/** What the runtime keeps in the state folder for itself. */
export function runtimeFolder(stateDir: string): string {
  return path.join(stateDir, '.runtime');
}

let count = 0;

/** As the store names what is temporary: it removes that of podruns that are gone. */
export function temporaryName(): string {
  count += 1;
  return `.tmp-${process.pid}-${count}-${placeTag()}`;
}

/** The upper layer and its workdir, and the places to mount: a tmpfs, an overlay, /proc, and the new root. */
const PARTS = ['u', 'w', 'm', 'o', 'p', 'r'];

interface Made {
  readonly ok: true;
  readonly path: string;
  readonly remove: () => void;
}

export type TrialFolder = Made | { readonly ok: false; readonly why: Obstacle };

/** Makes a folder for one trial, on the file system that layers of containers will be on. */
export function makeTrialFolder(stateDir: string): TrialFolder {
  const parent = runtimeFolder(stateDir);
  try {
    makePrivate(parent);
    const folder = path.join(parent, temporaryName());
    // A podrun that had our number before may have been killed in its trial.
    removeQuietly(folder);
    mkdirSync(folder, { mode: 0o700 });
    for (const part of PARTS) mkdirSync(path.join(folder, part), { mode: 0o755 });
    return { ok: true, path: folder, remove: () => removeQuietly(folder) };
  } catch (error) {
    return { ok: false, why: { type: 'folder', path: parent, said: errnoText(errnoOf(error)) } };
  }
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a trial; its folder goes afterwards, also when a signal ends podrun meanwhile. Whoever listens to signals
 * already ends in a way of their own.
 */
export async function inTrialFolder<T>(
  { path: folder, remove }: Made,
  trial: (folder: string) => Promise<T>,
): Promise<T> {
  const deadly = INTERRUPTIONS.filter((signal) => process.listenerCount(signal) === 0);
  const end = (signal: NodeJS.Signals): void => {
    stopListening();
    remove();
    process.kill(process.pid, signal);
  };
  const stopListening = (): void => {
    for (const signal of deadly) process.removeListener(signal, end);
  };
  for (const signal of deadly) process.on(signal, end);
  try {
    return await trial(folder);
  } finally {
    stopListening();
    remove();
  }
}

/** Makes a folder and those that lead to it. Node, asked to do so at once, calls each failure a missing file. */
function makePrivate(folder: string): void {
  if (existsSync(folder)) return;
  makePrivate(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another podrun was faster.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Empty folders, which are removed with whatever else a podrun has left.
  }
}
