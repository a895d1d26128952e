import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../errno.ts';
import type { NamespaceFacts } from '../features.ts';
import { descriptorPath, openBeneath } from '../open-beneath.ts';
import { beneath, followPath, type TreeMount } from './container-tree.ts';
import type { FstabEntry } from './fstab.ts';
import { overlayPath } from './fstab.ts';
import { type HostMount, isWithin, mountOf } from './host-mounts.ts';
import { madeOnHostFile } from './layers.ts';

/**
 * Folders of a container's layer: `root` is where its root is put together, `upper0` and `work0` are those of its first
 * overlay, and so on. Each folder less is felt: on a disk it takes as long as a program.
 */
const ROOT = 'root';
const UPPER = 'upper';
const WORK = 'work';
const MEMORY = 'memory';

const FOLDER_MODE = 0o755;

/** Mount options that a user namespace must not take away from a mount of the host. */
const LOCKED_OPTIONS = ['nosuid', 'nodev', 'noexec'];

export interface ViewOptions {
  /** Exists, and holds nothing yet. */
  readonly layerDir: string;
  readonly hostMounts: readonly HostMount[];
  readonly mode: 'root' | 'user';
  readonly layers: NamespaceFacts['layers'];
  readonly isReadOnly: boolean;
}

/**
 * The view of a container in the making: what will be mounted where, in which order. Mount points that the host does
 * not have are made in the container's own layer, or in the volume that they lie in.
 */
export class View {
  readonly #options: ViewOptions;
  readonly #entries: FstabEntry[] = [];
  readonly #tree: TreeMount[] = [];
  readonly #madeOnHost: string[] = [];
  #overlays = 0;

  constructor(options: ViewOptions) {
    this.#options = options;
    mkdirSync(this.root);
    if (this.memory !== undefined) mkdirSync(this.memory);
  }

  /** The folder of the host that becomes the container's root. */
  get root(): string {
    return path.join(this.#options.layerDir, ROOT);
  }

  /** Where a tmpfs is mounted and takes in what was made for layers; undefined: that stays where it is. */
  get memory(): string | undefined {
    return this.#options.layers === 'tmpfs' ? path.join(this.#options.layerDir, MEMORY) : undefined;
  }

  get entries(): readonly FstabEntry[] {
    return this.#entries;
  }

  /** Folders that had to be made outside of the layer, for something to be mounted there; the innermost last. */
  get madeOnHost(): readonly string[] {
    return this.#madeOnHost;
  }

  /**
   * A folder of the host, copy-on-write; where there are no layers, or nothing may be written, read-only.
   * @param at the same path in the container; it is there
   */
  copy(at: string): void {
    if (this.#options.layers === undefined) return this.bind({ source: at, target: at, isReadOnly: true });
    this.overlay({ lower: at, target: at, isReadOnly: this.#options.isReadOnly });
  }

  /** A folder of the host, copy-on-write, at some place. Where there are layers only. */
  overlay({ lower, target: wanted, isReadOnly }: { lower: string; target: string; isReadOnly: boolean }): void {
    const target = this.#mountPoint(wanted, true);
    const number = this.#overlays++;
    const { layerDir } = this.#options;
    const [upperName, workName] = [`${UPPER}${number}`, `${WORK}${number}`];
    const upper = path.join(layerDir, upperName);
    mkdirSync(upper);
    mkdirSync(path.join(layerDir, workName));
    copyOwner(lower, upper);
    const [upperdir, workdir] = [upperName, workName].map((name) => path.join(this.memory ?? layerDir, name)) as [
      string,
      string,
    ];
    const layers = Object.entries({ lowerdir: lower, upperdir, workdir }).map(
      ([option, folder]) => `${option}=${overlayPath(folder)}`,
    );
    const user = this.#options.mode === 'user' ? ['userxattr'] : [];
    const mode = isReadOnly ? ['ro'] : [];
    this.#add({ source: 'overlay', target, type: 'overlay', options: [...layers, ...user, ...mode] });
    this.#tree.push({ target, seen: [upper, lower], made: upper });
  }

  /** A file or folder of the host, as it is, with all that is mounted in it. */
  bind(mount: { readonly source: string; readonly target: string; readonly isReadOnly: boolean }): void {
    const { source, isReadOnly } = mount;
    const isFolder = statSync(source).isDirectory();
    const target = this.#mountPoint(mount.target, isFolder);
    const { mode, hostMounts } = this.#options;
    const locked = mode === 'user' ? (mountOf(source, hostMounts)?.options ?? []) : [];
    const kept = LOCKED_OPTIONS.filter((option) => locked.includes(option));
    const options = ['rbind', ...(isReadOnly ? ['ro', ...kept] : [])];
    this.#add({ source, target, type: 'none', options });
    this.#tree.push({ target, seen: [source], made: isFolder ? source : undefined });
  }

  /** A file system of the kernel's own. */
  mount(target: string, type: string, options: readonly string[]): void {
    this.#add({ source: type, target: this.#mountPoint(target, true), type, options });
    this.#tree.push({ target, seen: [], made: undefined });
  }

  #add(entry: FstabEntry): void {
    this.#entries.push({ ...entry, target: path.join(this.root, entry.target) });
  }

  /** Where the path leads; what is missing is made. */
  #mountPoint(wanted: string, isFolder: boolean): string {
    if (this.#tree.length === 0) return wanted;
    const { path: place, stats, mount } = followPath(wanted, this.#tree);
    if (stats !== undefined || place === mount.target) return place;
    const { made } = mount;
    if (made === undefined) throw new Error(`mount ${wanted}: there is no such place, and none can be made`);
    const parts = path.relative(mount.target, place).split('/');
    const places = parts.map((_, index) => path.join(mount.target, ...parts.slice(0, index + 1)));
    if (!isWithin(made, this.#options.layerDir)) {
      this.#makeOnHost(made, parts, isFolder);
      return place;
    }
    for (const [index, at] of places.entries()) {
      const file = beneath(made, mount.target, at);
      if (index === parts.length - 1 && !isFolder) writeFileSync(file, '', { flag: 'a' });
      // Of a folder that two layers have, the upper one's owner and mode count.
      else if (!makeFolder(file) || mount.seen.length > 1) copyOwnerOf(mount.seen.slice(1), mount.target, at, file);
    }
    return place;
  }

  /** In a folder that others may be changing at the same time: no link of theirs leads out of it. */
  #makeOnHost(folder: string, parts: readonly string[], isFolder: boolean): void {
    const files = parts.map((_, index) => path.join(folder, ...parts.slice(0, index + 1)));
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false }) === undefined) this.#made(file);
    const name = parts.at(-1) ?? '';
    const opened = openBeneath(folder, parts.slice(0, isFolder ? undefined : -1).join('/'), FOLDER_MODE);
    if (!opened.ok) throw new Error(`mount ${files.at(-1)}: no place for it can be made in ${folder}`);
    try {
      const flags = constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      if (!isFolder) closeSync(openSync(path.join(descriptorPath(opened.fd), name), flags, 0o644));
    } finally {
      closeSync(opened.fd);
    }
  }

  /** Put on record at once: who tidies up after a podrun that was killed has to know. */
  #made(file: string): void {
    this.#madeOnHost.push(file);
    appendFileSync(madeOnHostFile(this.#options.layerDir), `${JSON.stringify(file)}\n`, { mode: 0o600 });
  }
}

function copyOwnerOf(lower: readonly string[], target: string, at: string, file: string): void {
  const [below] = lower.map((folder) => beneath(folder, target, at));
  if (below !== undefined) copyOwner(below, file);
}

/** Answers false where it is there already. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

function copyOwner(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return;
  chmodSync(to, stats.mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(to, stats.uid, stats.gid);
}
