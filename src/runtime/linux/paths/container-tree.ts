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
  return { path: at, stats: entryIn(mount, at)?.stats, mount };
}

/** The path on the host of a file in a mounted folder. */
export function beneath(folder: string, target: string, wanted: string): string {
  return path.join(folder, path.relative(target, wanted));
}

/** A file of the host that is visible in a mount. */
interface TreeEntry {
  readonly file: string;
  readonly stats: Stats;
}

/**
 * The file at a path of a mount, as overlayfs shows it: an upper folder lies over a lower one, and a whiteout hides
 * what is below it. Each part of the path is looked up in folders alone: links of an image, which lead anywhere on the
 * host, are not followed.
 */
export function entryIn({ target, seen }: Pick<TreeMount, 'target' | 'seen'>, wanted: string): TreeEntry | undefined {
  const parts = path.relative(target, wanted).split('/');
  let entries = visible(seen);
  for (const part of parts.filter((name) => name !== '')) {
    const folders = entries.filter(({ stats }) => stats.isDirectory());
    entries = visible(folders.map(({ file }) => path.join(file, part)));
  }
  return entries[0];
}

/** The entries of the same name that none above hides. The first is shown; folders show those below as well. */
function visible(files: readonly string[]): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const file of files) {
    const stats = statsOf(file);
    if (stats === undefined) continue;
    if (isWhiteout(stats)) break;
    if (stats.isDirectory() || entries.length === 0) entries.push({ file, stats });
    if (!stats.isDirectory()) break;
  }
  return entries;
}

/** @see overlayfs.rst of the kernel, "whiteouts and opaque directories" */
function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

function linkAt(file: string, mounts: readonly TreeMount[]): string | undefined {
  const mount = mountAt(file, mounts);
  // A mount point is not a link.
  if (mount.target === file) return undefined;
  const entry = entryIn(mount, file);
  return entry?.stats.isSymbolicLink() === true ? readlinkSync(entry.file) : undefined;
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
