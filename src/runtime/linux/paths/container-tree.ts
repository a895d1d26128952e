import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
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

/** Folders of the host that show other files in the mounts of a Pod, and the path at which podrun sees its root. */
export interface FilesOfPod {
  readonly root: string;
  readonly folders: readonly string[];
}

/** Files of the host as a Pod sees them, each looked at once. For one step without a wait: files change. */
export class HostFiles {
  readonly #ofPod: FilesOfPod | undefined;
  readonly #stats = new Map<string, Stats | undefined>();
  /** Folders in which nothing was made yet. */
  readonly #empty = new Set<string>();

  /** @param ofPod undefined: the Pod sees the host's files everywhere */
  constructor(ofPod?: FilesOfPod) {
    this.#ofPod = ofPod;
  }

  /** The path at which podrun sees a file of the host that the Pod sees there. */
  place(file: string): string {
    const { root, folders } = this.#ofPod ?? { root: '', folders: [] };
    return folders.some((folder) => isInFolder(file, folder)) ? `${root}${file}` : file;
  }

  /** The file at a path, which may be a link. Undefined: there is none, or podrun may not see it. */
  stats(file: string): Stats | undefined {
    if (this.#empty.has(path.dirname(file))) return undefined;
    if (!this.#stats.has(file))
      this.#stats.set(
        file,
        quietly(() => lstatSync(this.place(file), { throwIfNoEntry: false })),
      );
    return this.#stats.get(file);
  }

  /**
   * The path of an existing file without links. The given one is absolute.
   * @throws {Error} of realpath(3)
   */
  realPath(file: string): string {
    const folder = path.dirname(file);
    if (folder === file) return file;
    const at = path.join(this.realPath(folder), path.basename(file));
    const stats = this.stats(at);
    return stats === undefined || stats.isSymbolicLink() ? realpathSync(at) : at;
  }

  /** Takes a folder that was just made. Nothing in it is looked for until `madeIn`. */
  addEmpty(folder: string): void {
    this.#empty.add(folder);
  }

  /** Looks again for what was missing, also in this folder: something was made there. */
  madeIn(folder: string): void {
    this.#empty.delete(folder);
    this.forgetMissing();
  }

  /** Looks again for what was missing: something may have been made. */
  forgetMissing(): void {
    for (const [file, stats] of this.#stats) if (stats === undefined) this.#stats.delete(file);
  }
}

/**
 * Follows a path in a tree of mounts that does not exist yet. An absolute link leads to the root of the container, not
 * of the host.
 * @param mounts the first is the root; later ones lie over earlier ones
 * @throws {Error} when there are too many links, or nothing is mounted at the root
 */
export function followPath(
  wanted: string,
  mounts: readonly TreeMount[],
  files: HostFiles = new HostFiles(),
): ResolvedPath {
  const at = followLinks(wanted, (link) => linkAt(link, mounts, files));
  if (at === undefined) throw new Error(`mount ${wanted}: too many levels of symbolic links`);
  const mount = mountAt(at, mounts);
  return { path: at, stats: entryIn(mount, at, files)?.stats, mount };
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
export function entryIn(
  { target, seen }: Pick<TreeMount, 'target' | 'seen'>,
  wanted: string,
  known: HostFiles = new HostFiles(),
): TreeEntry | undefined {
  const parts = path.relative(target, wanted).split('/');
  let entries = visible(seen, known);
  for (const part of parts.filter((name) => name !== '')) {
    const folders = entries.filter(({ stats }) => stats.isDirectory());
    entries = visible(
      folders.map(({ file }) => path.join(file, part)),
      known,
    );
  }
  return entries[0];
}

/** The entries of the same name that none above hides. The first is shown; folders show those below as well. */
function visible(files: readonly string[], known: HostFiles): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const file of files) {
    const stats = known.stats(file);
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

function linkAt(file: string, mounts: readonly TreeMount[], known: HostFiles): string | undefined {
  const mount = mountAt(file, mounts);
  // A mount point is not a link.
  if (mount.target === file) return undefined;
  const entry = entryIn(mount, file, known);
  return entry?.stats.isSymbolicLink() === true ? readlinkSync(known.place(entry.file)) : undefined;
}

function mountAt(file: string, mounts: readonly TreeMount[]): TreeMount {
  const mount = mounts.findLast(({ target }) => isInFolder(file, target));
  if (mount === undefined) throw new Error(`nothing is mounted at the root of ${file}`);
  return mount;
}
