import { readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { PARENT } from './cgroup-machine.ts';
import { hierarchiesOf } from './hierarchy.ts';
import { readText } from './read-text.ts';

/** Groups that were just made are about to be used. */
const AGE_MIN_MS = 10_000;
/** As deep as systemd, engines and we ourselves nest groups, and some more. */
const DEPTH_MAX = 12;
const UID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Removes groups of containers that no process is in, wherever in the hierarchies they are: those of podruns that were
 * killed before they had put them on record, or whose records are gone. What is in use, the kernel does not remove.
 * Never throws.
 * @param wallMs the time of day
 * @param sources the texts of /proc/self/cgroup and mountinfo; tests have others
 */
export function removeStrayGroups(wallMs: number, sources?: { membership: string; mounts: string }): void {
  const { membership, mounts } = sources ?? {
    membership: readText('/proc/self/cgroup'),
    mounts: readText('/proc/self/mountinfo'),
  };
  for (const { root } of hierarchiesOf(membership, mounts)) {
    for (const parent of parentsBelow(root, DEPTH_MAX)) {
      for (const pod of foldersIn(parent).filter((name) => UID.test(name))) {
        const folder = path.join(parent, pod);
        const old = foldersIn(folder).filter((name) => wallMs - bornMs(path.join(folder, name)) >= AGE_MIN_MS);
        for (const name of old) tryToRemove(path.join(folder, name));
        // Whoever needs those around it makes them again.
        tryToRemove(folder);
      }
      tryToRemove(parent);
    }
  }
}

function parentsBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((name) => {
    const child = path.join(folder, name);
    return name === PARENT ? [child] : parentsBelow(child, depth - 1);
  });
}

function bornMs(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

function tryToRemove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // in use, somebody else's, or gone
  }
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
