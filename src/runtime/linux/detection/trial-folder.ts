import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import { removeTree } from '../../../remove-tree.ts';
import { quietly } from '../../../quietly.ts';
import type { Obstacle } from '../../../machine/index.ts';
import { machineTag } from '../../../machine-id.ts';
import { errnoOf, errnoText, mkdirIfMissing } from '../../base/errno.ts';

/** The runtime's own folder in the state folder. */
export function runtimeFolder(stateDir: string): string {
  return path.join(stateDir, '.runtime');
}

let count = 0;

/** A name for a temporary file, as the store uses them: the store removes files of podruns that have ended. */
export function temporaryFolderName(): string {
  count += 1;
  return `.tmp-${process.pid}-${count}-${machineTag()}`;
}

/** The upper layer, its workdir, and the mount points for a tmpfs, an overlay, /proc and the new root. */
const PARTS = ['u', 'w', 'm', 'o', 'p', 'r'];

interface Made {
  readonly ok: true;
  readonly path: string;
  readonly remove: () => void;
}

export type TrialFolder = Made | { readonly ok: false; readonly why: Obstacle };

/** Makes a folder for one trial, on the file system of the containers' layers. */
export function makeTrialFolder(stateDir: string): TrialFolder {
  const parent = runtimeFolder(stateDir);
  try {
    makePrivate(parent);
    const folder = path.join(parent, temporaryFolderName());
    // An earlier podrun with the same pid may have been killed in its trial.
    removeQuietly(folder);
    mkdirSync(folder, { mode: 0o700 });
    for (const part of PARTS) makeFolderExactly(path.join(folder, part), 0o755);
    return { ok: true, path: folder, remove: () => removeQuietly(folder) };
  } catch (error) {
    return { ok: false, why: { type: 'folder', path: parent, said: errnoText(errnoOf(error)) } };
  }
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a trial and removes its folder, also when a signal ends podrun meanwhile. Leaves signals alone that have a
 * listener already.
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

/** Makes a folder with its parents. Node's recursive mkdir reports each failure as a missing file. */
export function makePrivate(folder: string): void {
  if (existsSync(folder)) return;
  makePrivate(path.dirname(folder));
  mkdirIfMissing(folder, 0o700);
}

function removeQuietly(folder: string): void {
  // The folders are empty: what stays is removed with other temporary files of podrun.
  quietly(() => removeTree(folder));
}
