import { readdirSync } from 'node:fs';
import path from 'node:path';
import { quietly, readQuietly, statIfThere } from '../../../quietly.ts';
import type { Clock } from '../../../clock.ts';
import { removeGroups, withInner } from './cgroup-group.ts';
import { PARENT, tryToRemove } from './cgroup-machine.ts';
import { hierarchiesOf } from './hierarchy.ts';

/** The smallest age: younger groups may be about to be used. */
const AGE_MIN_MS = 10_000;
/** The depth of the search: deeper than systemd, container engines and podrun nest groups. */
const DEPTH_MAX = 12;
const UID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The kernel's texts about this process. */
interface Sources {
  readonly membership: string;
  readonly mounts: string;
}

/**
 * Removes empty groups of containers everywhere in the hierarchies: podruns that were killed have left them unrecorded,
 * or their records are gone. The kernel does not remove groups in use. Never throws.
 * @param wallMs the current time
 * @param sources the texts of /proc/self/cgroup and mountinfo; tests use their own
 */
export function removeStrayGroups(wallMs: number, sources?: Sources): void {
  for (const parent of parents(sources)) {
    for (const pod of foldersIn(parent).filter((name) => UID.test(name))) {
      const folder = path.join(parent, pod);
      const bornMs = (name: string): number | undefined => statIfThere(path.join(folder, name))?.mtimeMs;
      const old = foldersIn(folder).filter((name) => wallMs - (bornMs(name) ?? wallMs) >= AGE_MIN_MS);
      for (const name of old) for (const group of withInner(path.join(folder, name))) tryToRemove(group);
      // A podrun that needs the parents of its group makes them again.
      tryToRemove(folder);
    }
    tryToRemove(parent);
  }
}

/** Removes all groups of a Pod that no agent runs, also unrecorded ones, and ends their processes. Never rejects. */
export async function removeGroupsOfPod(uid: string, clock: Clock, sources?: Sources): Promise<void> {
  for (const parent of parents(sources)) {
    const folder = path.join(parent, uid);
    const groups = foldersIn(folder).map((name) => path.join(folder, name));
    if (groups.length > 0) await removeGroups(groups, clock);
    tryToRemove(folder);
    tryToRemove(parent);
  }
}

/** The `podrun` groups in all hierarchies. */
function parents(sources?: Sources): string[] {
  const { membership, mounts } = sources ?? {
    membership: readQuietly('/proc/self/cgroup'),
    mounts: readQuietly('/proc/self/mountinfo'),
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

function foldersIn(folder: string): string[] {
  const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
