import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Obstacle } from '../../api/machine.ts';
import type { Clock } from '../../clock.ts';
import { errnoOf, errnoText } from '../errno.ts';

/** What the runtime keeps in the state folder for itself. */
export function runtimeFolder(stateDir: string): string {
  return path.join(stateDir, '.runtime');
}

const PREFIX = 'trial-';
/** A trial takes a few milliseconds: what is older belongs to a podrun that was killed meanwhile. */
const LEFTOVER_AGE_MS = 60_000;
/** The upper layer and its workdir, and the places to mount: a tmpfs, an overlay, /proc, and the new root. */
const PARTS = ['u', 'w', 'm', 'o', 'p', 'r'];

export type TrialFolder =
  | { readonly ok: true; readonly path: string; readonly remove: () => void }
  | { readonly ok: false; readonly why: Obstacle };

/** Makes a folder for one trial, on the file system that layers of containers will be on. */
export function makeTrialFolder(stateDir: string, clock: Clock): TrialFolder {
  const parent = runtimeFolder(stateDir);
  try {
    makePrivate(parent);
    removeLeftovers(parent, clock);
    const folder = mkdtempSync(path.join(parent, PREFIX));
    for (const part of PARTS) mkdirSync(path.join(folder, part), { mode: 0o755 });
    return { ok: true, path: folder, remove: () => removeQuietly(folder) };
  } catch (error) {
    return { ok: false, why: { type: 'folder', path: parent, said: errnoText(errnoOf(error)) } };
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

function removeLeftovers(parent: string, clock: Clock): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(parent, name);
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats !== undefined && clock.now().wallMs - stats.mtimeMs > LEFTOVER_AGE_MS) removeQuietly(folder);
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Empty folders that the next trial removes.
  }
}
