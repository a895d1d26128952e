import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../../quietly.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import { mountOf, readHostMounts } from '../paths/host-mounts.ts';

/** The folders that a folder with files of an image has in common with the machine, by their paths there. */
interface CommonFolders {
  /** Outer ones come first. */
  readonly folders: readonly string[];
  /** Links of the machine to folders, at whose places the image's folder has folders of its own. */
  readonly links: readonly string[];
}

/**
 * Compares a folder with the machine below one of its places.
 * @param over the folder of the image
 * @param at the place at which it lies over the machine's files
 */
export function commonFolders(over: string, at = '/'): CommonFolders {
  const folders: string[] = [];
  const links: string[] = [];
  const open = [''];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const name of foldersIn(path.join(over, place))) {
      const below = path.join(place, name);
      const onMachine = path.join(at, below);
      const stats = quietly(() => lstatSync(onMachine));
      if (stats?.isSymbolicLink() === true && isFolder(onMachine)) links.push(onMachine);
      if (stats?.isDirectory() !== true) continue;
      folders.push(onMachine);
      open.push(below);
    }
  }
  return { folders, links };
}

/** True when two folders have the same mode, and as far as podrun can give files away, the same owner. */
export function haveSameOwner(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other)];
  const isOwned = process.getuid?.() !== 0 || (a.uid === b.uid && a.gid === b.gid);
  return isOwned && a.mode === b.mode;
}

/** The folder's part for a place of the machine. Undefined: it has no files there. */
export function partOver(folder: string, at: string): string | undefined {
  const part = at === '/' ? folder : path.join(folder, at);
  const isThere = quietly(() => lstatSync(part).isDirectory() && readdirSync(part).length > 0);
  return isThere === true ? part : undefined;
}

/**
 * The reason why the files of a folder cannot lie over the machine's files, with a way out. Undefined: they can, as far
 * as known before the mounts.
 */
export function whyNotOver(folder: string, { layers }: Pick<NamespaceFacts, 'layers'>): string | undefined {
  const subject = `the folder ${folder} of the image map`;
  if (layers === undefined) return `${subject} needs overlays, which cannot be mounted here: see podrun doctor`;
  const [link] = commonFolders(folder).links;
  if (link !== undefined) {
    const [own, real] = [link, realpathSync(link)].map((file) => path.join(folder, file)) as [string, string];
    return `${own} would hide what is in ${link}, which is a link on this machine: put its files into ${real}`;
  }
  // Its overlay would be one too many above another: the kernel has a limit of two.
  const isOnOverlay = mountOf(realpathSync(folder), readHostMounts())?.type === 'overlay';
  return isOnOverlay ? `${subject} is on an overlay, as the root of a container is: put it on a volume` : undefined;
}

function foldersIn(folder: string): string[] {
  const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function isFolder(file: string): boolean {
  return quietly(() => statSync(file).isDirectory()) === true;
}
