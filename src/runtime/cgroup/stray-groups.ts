import { readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import { removeGroups } from './cgroup-group.ts';
import { PARENT } from './cgroup-machine.ts';
import { hierarchiesOf } from './hierarchy.ts';
import { readText } from './read-text.ts';

/** Groups that were just made are about to be used. */
const AGE_MIN_MS = 10_000;
/** As deep as systemd, engines and we ourselves nest groups, and some more. */
const DEPTH_MAX = 12;
const UID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What the kernel says of this process. */
interface Sources {
  readonly membership: string;
  readonly mounts: string;
}

/**
 * Removes groups of containers that no process is in, wherever in the hierarchies they are: those of podruns that were
 * killed before they had put them on record, or whose records are gone. What is in use, the kernel does not remove.
 * Never throws.
 * @param wallMs the time of day
 * @param sources the texts of /proc/self/cgroup and mountinfo; tests have others
 */
export function removeStrayGroups(wallMs: number, sources?: Sources): void {
  for (const parent of parents(sources)) {
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

/**
 * Removes all groups of a Pod that nobody runs any more, also those that a podrun had just made when it was killed, and
 * ends what is in them. Never rejects.
 */
export async function removeGroupsOfPod(uid: string, clock: Clock, sources?: Sources): Promise<void> {
  for (const parent of parents(sources)) {
    const folder = path.join(parent, uid);
    const groups = foldersIn(folder).map((name) => path.join(folder, name));
    if (groups.length > 0) await removeGroups(groups, clock);
    tryToRemove(folder);
    tryToRemove(parent);
  }
}

/** Everywhere in all hierarchies. */
function parents(sources?: Sources): string[] {
  const { membership, mounts } = sources ?? {
    membership: readText('/proc/self/cgroup'),
    mounts: readText('/proc/self/mountinfo'),
  };
  return hierarchiesOf(membership, mounts).flatMap(({ root }) => parentsBelow(root, DEPTH_MAX));
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
