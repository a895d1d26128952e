import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../errno.ts';
import { descriptorPath, openBeneath } from '../open-beneath.ts';
import { beneath, type TreeMount } from './container-tree.ts';
import { isWithin } from './host-mounts.ts';
import { madeOnHostFile } from './layers.ts';

const FOLDER_MODE = 0o755;

/** Makes places for mounts where the host has none: in the layer of the container, or in the volume they lie in. */
export class MountPoints {
  readonly #layerDir: string;
  readonly #madeOnHost: string[] = [];

  constructor(layerDir: string) {
    this.#layerDir = layerDir;
  }

  /** Folders and files that had to be made outside of the layer; the innermost last. */
  get madeOnHost(): readonly string[] {
    return this.#madeOnHost;
  }

  /**
   * @param place in the container, without links; nothing is there
   * @param mount what it lies on
   * @throws {Error} when nothing can be made there
   */
  make(place: string, { target, seen, made }: TreeMount, isFolder: boolean): void {
    if (made === undefined) throw new Error(`mount ${place}: there is no such place, and none can be made`);
    const parts = path.relative(target, place).split('/');
    if (!isWithin(made, this.#layerDir)) return this.#makeOnHost(made, parts, isFolder);
    const places = parts.map((_, index) => path.join(target, ...parts.slice(0, index + 1)));
    for (const [index, at] of places.entries()) {
      const file = beneath(made, target, at);
      if (index === parts.length - 1 && !isFolder) writeFileSync(file, '', { flag: 'a' });
      // Of a folder that two layers have, the upper one's owner and mode count.
      else if (!makeFolder(file) || seen.length > 1) {
        const [, lower] = seen;
        if (lower !== undefined) copyOwner(beneath(lower, target, at), file);
      }
    }
  }

  /** In a folder that others may be changing at the same time: no link of theirs leads out of it. */
  #makeOnHost(folder: string, parts: readonly string[], isFolder: boolean): void {
    const files = parts.map((_, index) => path.join(folder, ...parts.slice(0, index + 1)));
    for (const file of files) if (lstatSync(file, { throwIfNoEntry: false }) === undefined) this.#record(file);
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

  /** At once: who tidies up after a podrun that was killed has to know. */
  #record(file: string): void {
    this.#madeOnHost.push(file);
    appendFileSync(madeOnHostFile(this.#layerDir), `${JSON.stringify(file)}\n`, { mode: 0o600 });
  }
}

/** Gives a folder the owner and the mode of another one, if there is such a folder. */
export function copyOwner(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isDirectory()) return;
  chmodSync(to, stats.mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(to, stats.uid, stats.gid);
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
