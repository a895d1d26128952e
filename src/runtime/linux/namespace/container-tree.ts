import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../../quietly.ts';
import { followLinks } from './follow-links.ts';
import { isInFolder } from './host-mounts.ts';

/** A mount in a container, with the folders of the host that have its files. */
export interface TreeMount {
  /** The absolute path in the container. */
  readonly target: string;
  /** The folders of the host whose entries are visible there, the uppermost first. */
  readonly seen: readonly string[];
  /** The folder of the host for new files. Undefined: none can be created. */
  readonly made: string | undefined;
}

/** The target of a path in a container, with all links followed as in the container. */
export interface ResolvedPath {
  /** The path in the container, without links. */
  readonly path: string;
  /** The file at the path. Undefined: there is none. */
  readonly stats: Stats | undefined;
  /** The mount with the path. */
  readonly mount: TreeMount;
}

/**
 * Follows a path in a tree of mounts that does not exist yet. An absolute link leads to the root of the container, not
 * of the host.
 * @param mounts the first is the root; later ones lie over earlier ones
 * @throws {Error} when there are too many links, or nothing is mounted at the root
 */
export function followPath(wanted: string, mounts: readonly TreeMount[]): ResolvedPath {
  const at = followLinks(wanted, (link) => linkAt(link, mounts));
  if (at === undefined) throw new Error(`mount ${wanted}: too many levels of symbolic links`);
  const mount = mountAt(at, mounts);
  return { path: at, stats: statsIn(at, mount), mount };
}

/** The path on the host of a file in a mounted folder. */
export function beneath(folder: string, target: string, wanted: string): string {
  return path.join(folder, path.relative(target, wanted));
}

function linkAt(file: string, mounts: readonly TreeMount[]): string | undefined {
  const mount = mountAt(file, mounts);
  // A mount point is not a link.
  if (mount.target === file) return undefined;
  for (const folder of mount.seen) {
    const onHost = beneath(folder, mount.target, file);
    const stats = statsOf(onHost);
    if (stats?.isSymbolicLink() === true) return readlinkSync(onHost);
    if (stats !== undefined) return undefined;
  }
  return undefined;
}

function statsIn(file: string, { target, seen }: TreeMount): Stats | undefined {
  for (const folder of seen) {
    const stats = statsOf(beneath(folder, target, file));
    if (stats !== undefined) return stats;
  }
  return undefined;
}

/** Undefined: there is no file, or podrun may not see it. */
function statsOf(file: string): Stats | undefined {
  return quietly(() => lstatSync(file, { throwIfNoEntry: false }));
}

function mountAt(file: string, mounts: readonly TreeMount[]): TreeMount {
  const mount = mounts.findLast(({ target }) => isInFolder(file, target));
  if (mount === undefined) throw new Error(`nothing is mounted at the root of ${file}`);
  return mount;
}
