import { appendFileSync, chmodSync, chownSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { makeFileExactly } from '../../../exact-mode.ts';
import { errnoOf, mkdirIfMissing } from '../../base/errno.ts';
import { closing, descriptorPath, openBeneath } from '../../start/open-beneath.ts';
import { beneath, entryIn, type HostFiles, type TreeMount } from '../paths/container-tree.ts';
import { isInFolder } from '../paths/host-mounts.ts';
import { madeOnHostFile } from './layers.ts';

const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/** A folder of a layer, and the folder that it lies over. */
export interface ForeignFolder {
  readonly from: string;
  readonly to: string;
}

/** Creates mount points that the host lacks: in the layer of the container, or in the volume that contains them. */
export class MountPoints {
  readonly #layerDir: string;
  readonly #host: HostFiles;
  readonly #madeOnHost: string[] = [];
  readonly #foreign: ForeignFolder[] = [];

  /** @param host forgets what was missing where a mount point is made */
  constructor(layerDir: string, host: HostFiles) {
    this.#layerDir = layerDir;
    this.#host = host;
  }

  /** Folders of the layer whose owners podrun has no right to copy. */
  get foreign(): readonly ForeignFolder[] {
    return this.#foreign;
  }

  /** Folders and files that were created outside of the layer, the innermost last. */
  get madeOnHost(): readonly string[] {
    return this.#madeOnHost;
  }

  /**
   * Creates a mount point.
   * @param mountPoint a missing path in the container, without links
   * @param mount the mount that contains it
   * @throws {Error} when it cannot be created
   */
  make(mountPoint: string, { target, seen, made }: TreeMount, isFolder: boolean): void {
    if (made === undefined)
      throw new Error(`mount ${mountPoint}: the path does not exist, and podrun cannot create it`);
    this.#host.madeIn(made);
    const parts = path.relative(target, mountPoint).split('/');
    if (!isInFolder(made, this.#layerDir)) return this.#makeOnHost(made, parts, isFolder);
    const places = parts.map((_, index) => path.join(target, ...parts.slice(0, index + 1)));
    for (const [index, at] of places.entries()) {
      const file = beneath(made, target, at);
      if (index === parts.length - 1 && !isFolder) makeFileExactly(file, FILE_MODE);
      // When two layers have the same folder, the upper layer decides its owner and mode.
      else if (!mkdirIfMissing(file, FOLDER_MODE) || seen.length > 1) {
        const lower = entryIn({ target, seen: seen.slice(1) }, at, this.#host);
        if (lower !== undefined) this.#copyOwner(lower.file, file);
      }
    }
  }

  #copyOwner(from: string, to: string): void {
    if (!copyOwner(from, to)) this.#foreign.push({ from, to });
  }

  /**
   * Creates a path in a folder that a container may change at the same time: its links do not lead out of the folder.
   */
  #makeOnHost(folder: string, parts: readonly string[], isFolder: boolean): void {
    const real = this.#host.realPath(folder);
    const files = parts.map((_, index) => path.join(real, ...parts.slice(0, index + 1)));
    for (const file of files) {
      if (lstatSync(this.#host.place(file), { throwIfNoEntry: false }) === undefined) this.#record(file);
    }
    const name = parts.at(-1) ?? '';
    const opened = openBeneath(
      this.#host.place(folder),
      parts.slice(0, isFolder ? undefined : -1).join('/'),
      FOLDER_MODE,
    );
    if (!opened.ok) throw new Error(`mount ${files.at(-1)}: podrun cannot create it in ${folder}`);
    closing(opened.fd, (fd) => {
      if (!isFolder) makeFileIfMissing(path.join(descriptorPath(fd), name));
    });
  }

  /** Records a path before its creation, for the clean-up after a killed podrun. */
  #record(file: string): void {
    this.#madeOnHost.push(file);
    appendFileSync(madeOnHostFile(this.#layerDir), `${JSON.stringify(file)}\n`, { mode: 0o600 });
  }
}

/** A container may have been faster. */
function makeFileIfMissing(file: string): void {
  try {
    makeFileExactly(file, FILE_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Gives a folder the owner and the mode of another one, if that exists.
 * @returns false when the owner is not podrun's user, and podrun may not give files away
 */
export function copyOwner(from: string, to: string): boolean {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return true;
  chmodSync(to, stats.mode & 0o7777);
  const made = lstatSync(to);
  if (made.uid === stats.uid && made.gid === stats.gid) return true;
  if (process.getuid?.() !== 0) return false;
  chownSync(to, stats.uid, stats.gid);
  const given = lstatSync(to);
  return given.uid === stats.uid && given.gid === stats.gid;
}
