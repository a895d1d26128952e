import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { followLinks } from './follow-links.ts';
import { isWithin } from './host-mounts.ts';

/** Something that is mounted in a container, and what its files are on the host. */
export interface TreeMount {
  /** Absolute, in the container. */
  readonly target: string;
  /** Folders of the host whose entries are seen there, the uppermost first. */
  readonly seen: readonly string[];
  /** The folder of the host in which something new may be made; undefined: nothing may. */
  readonly made: string | undefined;
}

/** Where a path of a container leads: all links followed, as the container will see them. */
export interface Place {
  /** In the container, without links. */
  readonly path: string;
  /** What is there already. */
  readonly stats: Stats | undefined;
  /** The mount that it lies on. */
  readonly mount: TreeMount;
}

/**
 * Follows a path in a tree of mounts that does not exist yet. Links are those of the container: an absolute one leads
 * to its root, not to that of the host.
 * @param mounts the first is the root; later ones lie over earlier ones
 * @throws {Error} when there are too many links, or nothing is mounted at the root
 */
export function followPath(wanted: string, mounts: readonly TreeMount[]): Place {
  const at = followLinks(wanted, (place) => linkAt(place, mounts));
  if (at === undefined) throw new Error(`mount ${wanted}: too many levels of symbolic links`);
  const mount = mountAt(at, mounts);
  return { path: at, stats: statsIn(at, mount), mount };
}

/** The path on the host of something in a folder that a mount shows. */
export function beneath(folder: string, target: string, wanted: string): string {
  return path.join(folder, path.relative(target, wanted));
}

function linkAt(place: string, mounts: readonly TreeMount[]): string | undefined {
  const mount = mountAt(place, mounts);
  // What is mounted at the place itself is no link.
  if (mount.target === place) return undefined;
  for (const folder of mount.seen) {
    const file = beneath(folder, mount.target, place);
    const stats = statsOf(file);
    if (stats?.isSymbolicLink() === true) return readlinkSync(file);
    if (stats !== undefined) return undefined;
  }
  return undefined;
}

function statsIn(place: string, { target, seen }: TreeMount): Stats | undefined {
  for (const folder of seen) {
    const stats = statsOf(beneath(folder, target, place));
    if (stats !== undefined) return stats;
  }
  return undefined;
}

/** Undefined: there is nothing, or nothing that we may see. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function mountAt(place: string, mounts: readonly TreeMount[]): TreeMount {
  const mount = mounts.findLast(({ target }) => isWithin(place, target));
  if (mount === undefined) throw new Error(`nothing is mounted at the root of ${place}`);
  return mount;
}
