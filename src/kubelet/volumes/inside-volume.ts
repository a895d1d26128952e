import { constants, existsSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../exact-mode.ts';
import { quietly, statQuietly } from '../../quietly.ts';
import { closing, descriptorPath, fileIdentity, isInFolder, openBeneath, pathOf } from '../../runtime/index.ts';

interface Opened {
  readonly ok: true;
  readonly path: string;
  readonly identity: string;
}

type SubPathOutcome =
  | Opened
  /** The path was missing and could not be created; or it leads out of the volume, or through a file. */
  | { readonly ok: false; readonly problem: 'not made' | 'not usable' };

/** Only on Linux is a descriptor also a path. Elsewhere nothing is mounted. */
const isLinux = process.platform === 'linux';

/**
 * The path of a part of a volume, without links, and its identity. Creates a missing folder with the permissions of the
 * volume. Links may lead to other places in the volume but not out of it, also when a container changes them meanwhile;
 * the identity reveals later changes. Source: pkg/volume/util/subpath/subpath_linux.go SafeMakeDir.
 * @param subPath relative, without `..`
 * @param mayMake false: nothing is created in the volume
 */
export function openSubPath(volume: string, subPath: string, mayMake = true): SubPathOutcome {
  const opened = isLinux ? openWith(volume, subPath, mayMake) : checkWith(volume, subPath, mayMake);
  // The kubelet looks for the folder first, and creates it only when it is missing.
  return opened ?? { ok: false, problem: isMissing(path.join(volume, subPath)) ? 'not made' : 'not usable' };
}

/** The text of a file in a volume. Undefined: there is no such file, or a link leads out of the volume. */
export function readInside(volume: string, file: string): string | undefined {
  if (file.split('/').includes('..')) return undefined;
  if (!isLinux) return isInside(volume, path.join(volume, file)) ? readRegular(path.join(volume, file)) : undefined;
  const opened = openBeneath(volume, file, undefined);
  return opened.ok ? closing(opened.fd, (fd) => readRegular(descriptorPath(fd))) : undefined;
}

function openWith(volume: string, subPath: string, mayMake: boolean): Opened | undefined {
  const opened = openBeneath(volume, subPath, mayMake ? modeOf(volume) : undefined);
  if (!opened.ok) return undefined;
  return closing(opened.fd, (fd) => ({ ok: true, path: pathOf(fd), identity: fileIdentity(descriptorPath(fd)) }));
}

/** Checks the path before and after, on systems where descriptors are not paths. */
function checkWith(volume: string, subPath: string, mayMake: boolean): Opened | undefined {
  const wanted = path.join(volume, subPath);
  try {
    if (!existsSync(wanted)) {
      if (!mayMake) return undefined;
      makeInside(volume, subPath);
    }
    if (!isInside(volume, wanted)) return undefined;
    const real = realpathSync(wanted);
    return { ok: true, path: real, identity: fileIdentity(real) };
  } catch {
    return undefined;
  }
}

/** True when nothing is at the path. A path through a file is not missing. */
function isMissing(file: string): boolean {
  try {
    statSync(file);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Opens without blocking: a named pipe would wait for a writer. */
function readRegular(file: string): string | undefined {
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return closing(opened, (fd) => (fstatSync(fd).isFile() ? readFileSync(fd, 'utf8') : undefined));
}

function makeInside(volume: string, subPath: string): void {
  const mode = modeOf(volume);
  let folder = volume;
  for (const part of subPath.split('/')) {
    const parent = folder;
    folder = path.join(folder, part);
    if (existsSync(folder)) continue;
    if (!isInside(volume, parent)) throw new Error(`${parent} is outside of allowed base ${volume}`);
    // Fails at a link to nowhere: nothing is created at the other end of a link.
    makeFolderExactly(folder, mode);
  }
}

function modeOf(folder: string): number {
  return statSync(folder).mode & 0o7777;
}

/** True when a path is a folder or lies in it, after following links. False for a missing path. */
export function isInside(folder: string, file: string): boolean {
  return quietly(() => isInFolder(realpathSync(file), realpathSync(folder))) ?? false;
}

/** A user without the rights of root. */
interface OtherUser {
  readonly uid: number;
  /** All groups of the user. */
  readonly groups: readonly number[];
}

/** True when this user may enter every folder above a file or folder. Checks the permission bits alone. */
export function canReach(place: string, who: OtherUser): boolean {
  for (let folder = path.dirname(place); ; folder = path.dirname(folder)) {
    if (!mayEnter(folder, who)) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

function mayEnter(folder: string, { uid, groups }: OtherUser): boolean {
  const stats = statQuietly(folder);
  if (stats === undefined) return false;
  if (stats.uid === uid) return (stats.mode & 0o100) !== 0;
  return (stats.mode & (groups.includes(stats.gid) ? 0o010 : 0o001)) !== 0;
}
