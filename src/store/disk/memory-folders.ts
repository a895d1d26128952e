import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  type Stats,
  statfsSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { removeTree } from '../../remove-tree.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import { quietly } from '../../quietly.ts';
import { newUid } from '../base/unique-id.ts';
import { type KnownProcess, knownProcess, presenceOf, type ProcessLookup } from './known-process.ts';

/*
 * Folders in memory that never reach a disk: for secrets, and for volumes with `medium: Memory`.
 *
 * PLACE/podrun-UID/STATE/POD/VOLUME   PLACE is a tmpfs, UID our user, STATE a hash of the path of the state folder
 * PLACE/podrun-UID/STATE/held-ID      made by a process whose containers hide PLACE/podrun-UID
 * PLACE/podrun-UID/STATE/POD.owner -> PID|START|BOOT|NAMESPACE|MACHINE|ROOT   its maker, and the state folder
 *
 * Only our user can enter the first folder: no other user can read the files below, whatever their modes are.
 */

/** The memory file systems to use, and the state folder that uses them. */
export interface MemoryArea {
  /** The state folder. */
  readonly root: string;
  /** Mount points of tmpfs, in the order in which they are tried. */
  readonly mountPoints: readonly string[];
  readonly processes: ProcessLookup;
  /** Undefined: no volume has a file system of its own. */
  readonly mounts?: MemoryMounts | undefined;
}

/** Mounts file systems in memory. The runtime implements it, since only the runtime starts programs. */
export interface MemoryMounts {
  /** @throws {Error} when it cannot be mounted */
  mount(folder: string, bytes: number): void;
  /** @throws {Error} when it cannot be taken away */
  unmount(folder: string): void;
}

/** Source: include/uapi/linux/magic.h TMPFS_MAGIC. */
const TMPFS = 0x01021994;
const FOLDER_MODE = 0o700;
const OF_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const OWNER = '.owner';
const ATTEMPTS_MAX = 10;
const HELD = 'held-';

export interface MemoryFolder {
  readonly folder: string;
  readonly isNew: boolean;
}

/**
 * Makes a folder in memory for a volume of a Pod, or returns the existing one.
 * @param bytes free space that a new folder needs
 * @returns undefined when no tmpfs has enough space and is safe from other users
 */
export function makeMemoryFolder(
  area: MemoryArea,
  podUid: string,
  volume: string,
  bytes: number,
): MemoryFolder | undefined {
  const below = path.join(stateName(area.root), podName(podUid));
  const own = area.mountPoints.map(baseIn).filter(isOwnFolder);
  const present = own.map((base) => path.join(base, below, volume)).find(isFolder);
  if (present !== undefined) {
    writeOwnerLink(path.dirname(present) + OWNER, area);
    return { folder: present, isNew: false };
  }
  for (const mountPoint of area.mountPoints) {
    try {
      if (isSuitable(mountPoint, bytes)) return makeIn(path.join(baseIn(mountPoint), below), area, volume);
    } catch (error) {
      // The place was unmounted, or does not allow this folder: try the next one.
      if (errorCode(error) === undefined) throw error;
    }
  }
  return undefined;
}

/** The first place that can hold volumes in memory, if any. */
export function memoryMountPoint(places: readonly string[]): string | undefined {
  return places.find((mountPoint) => {
    try {
      return isSuitable(mountPoint, 1);
    } catch {
      return false;
    }
  });
}

/** The folders that hold all folders in memory of this user. They need not exist. */
export function memoryFolders({ mountPoints }: MemoryArea): string[] {
  return mountPoints.map(baseIn);
}

/**
 * Keeps the folders that hold all folders in memory of this user. Containers hide these folders with a mount, which
 * would vanish if another podrun removed the empty folder below it.
 * @returns ends that
 */
export function holdMemoryFolders(area: MemoryArea): () => void {
  const name = `${HELD}${newUid()}`;
  for (const mountPoint of area.mountPoints) {
    try {
      if (isSuitable(mountPoint, 1)) makeIn(path.join(baseIn(mountPoint), stateName(area.root), name), area, 'held');
    } catch (error) {
      // A folder that cannot be made contains nothing to hide.
      if (errorCode(error) === undefined) throw error;
    }
  }
  return () => removeMemoryFolders(area, name);
}

/** Removes all folders in memory of a Pod. The next sweep retries the remaining folders. */
export function removeMemoryFolders(area: MemoryArea, podUid: string): void {
  for (const base of area.mountPoints.map(baseIn).filter(isOwnFolder))
    removePod(path.join(base, stateName(area.root)), podName(podUid), area);
}

/**
 * Removes folders in memory whose processes are gone: folders of this state folder, and of state folders that are gone.
 * @param podsInNeed uids of Pods of this state folder that may still run, although the maker of their folders is gone
 */
export function sweepMemoryFolders(area: MemoryArea, podsInNeed: () => readonly string[]): void {
  let needed: ReadonlySet<string> | undefined;
  const isNeeded = (pod: string): boolean => (needed ??= new Set(podsInNeed().map(podName))).has(pod);
  for (const base of area.mountPoints.map(baseIn).filter(isOwnFolder)) {
    for (const state of namesIn(base)) {
      const home = path.join(base, state);
      for (const pod of new Set(namesIn(home).map((name) => path.basename(name, OWNER)))) {
        if (isLeftover(area, path.join(home, pod), () => isNeeded(pod))) removePod(home, pod, area);
      }
      removeEmpty(home);
    }
    removeEmpty(base);
  }
}

/** Removes what processes that are gone held: see {@link holdMemoryFolders}. */
export function removeLeftHolds(area: MemoryArea): void {
  for (const base of area.mountPoints.map(baseIn).filter(isOwnFolder)) {
    const home = path.join(base, stateName(area.root));
    const held = namesIn(home).filter((name) => name.startsWith(HELD) && !name.endsWith(OWNER));
    for (const name of held) if (isLeftover(area, path.join(home, name), () => false)) removePod(home, name, area);
  }
}

function isLeftover({ root, processes }: MemoryArea, folder: string, isNeeded: () => boolean): boolean {
  const isOurs = path.basename(path.dirname(folder)) === stateName(root);
  const owner = linkTarget(folder + OWNER);
  if (owner === undefined) return isOurs && !isNeeded();
  const { maker, itsRoot } = parseOwner(owner);
  if (presenceOf(maker, processes) !== 'gone') return false;
  return isOurs ? !isNeeded() : !existsSync(itsRoot);
}

function parseOwner(text: string): { readonly maker: KnownProcess; readonly itsRoot: string } {
  const [pid = '0', startTime = '', bootId = '', ...rest] = text.split('|');
  const process = { pid: Number(pid), startTime, bootId };
  const [pidNamespace = '', machineId = '', ...itsRoot] = rest;
  // Older versions of podrun wrote the state folder, which begins with a slash, in the fourth part.
  if (pidNamespace.startsWith('/')) return { maker: process, itsRoot: rest.join('|') };
  return { maker: { ...process, pidNamespace, machineId }, itsRoot: itsRoot.join('|') };
}

/** True for a tmpfs with enough free space, in which other users cannot replace our files. */
function isSuitable(mountPoint: string, bytes: number): boolean {
  const { type, bavail, bsize } = statfsSync(mountPoint);
  if (type !== TMPFS || bavail * bsize < bytes) return false;
  const { mode, uid } = lstatSync(mountPoint);
  const isOfOthers = uid !== 0 && uid !== process.geteuid?.();
  return !isOfOthers && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}

/** Makes a folder of our own. Refuses a link or folder of another user, who may have been faster in a public place. */
function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  if (!isOwnFolder(folder)) throw Object.assign(new Error(`${folder} is not ours`), { code: 'EPERM' });
  // The folder is ours: no other user can replace it before chmod.
  if ((lstatSync(folder).mode & OF_OTHERS) !== 0) chmodSync(folder, FOLDER_MODE);
}

function isFolder(folder: string): boolean {
  return lookAt(folder)?.isDirectory() === true;
}

function isOwnFolder(folder: string): boolean {
  const stats = lookAt(folder);
  return stats !== undefined && stats.isDirectory() && stats.uid === process.geteuid?.();
}

/** Undefined: there is nothing, or the folders above it cannot be entered. */
function lookAt(folder: string): Stats | undefined {
  return quietly(() => lstatSync(folder, { throwIfNoEntry: false }));
}

/** Makes the folder of a volume. Retries when another process removes the empty folders above it meanwhile. */
function makeIn(pod: string, area: MemoryArea, volume: string): MemoryFolder {
  const home = path.dirname(pod);
  const folder = path.join(pod, volume);
  for (let attempt = 1; ; attempt++) {
    try {
      makeOwnFolder(path.dirname(home));
      makeOwnFolder(home);
      writeOwnerLink(pod + OWNER, area);
      makeOwnFolder(pod);
      mkdirSync(folder, { mode: FOLDER_MODE });
      return { folder, isNew: true };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

function writeOwnerLink(link: string, { root, processes }: MemoryArea): void {
  const { pid, startTime, bootId, pidNamespace = '', machineId = '' } = knownProcess(process.pid, processes);
  const signature = [pid, startTime, bootId, pidNamespace, machineId, realRoot(root)].join('|');
  if (linkTarget(link) === signature) return;
  ifPresent(() => unlinkSync(link));
  symlinkSync(signature, link);
}

function removePod(home: string, pod: string, area: MemoryArea): void {
  const folder = path.join(home, pod);
  for (const volume of namesIn(folder)) quietly(() => unmountVolume(path.join(folder, volume), area));
  quietly(() => removeTree(folder));
  if (existsSync(folder)) return;
  ifPresent(() => unlinkSync(folder + OWNER));
  removeEmpty(home);
  removeEmpty(path.dirname(home));
}

/** Empties a volume with a file system of its own first: a process that was killed may keep it for a moment. */
function unmountVolume(volume: string, { mounts }: MemoryArea): void {
  if (mounts === undefined || lstatSync(volume).dev === lstatSync(path.dirname(volume)).dev) return;
  for (const name of namesIn(volume)) quietly(() => removeTree(path.join(volume, name)));
  mounts.unmount(volume);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty, or is gone already.
  }
}

function baseIn(mountPoint: string): string {
  return path.join(mountPoint, `podrun-${process.geteuid?.() ?? 0}`);
}

function stateName(root: string): string {
  return digest(realRoot(root));
}

/** The uid of the Pod, if it resembles a UUID, else its hash: a manifest may contain any text as uid. */
function podName(uid: string): string {
  return /^[\w-]{1,64}$/.test(uid) ? uid : digest(uid);
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The real path of the state folder, also of one that is gone. */
function realRoot(root: string): string {
  const real = ifPresent(() => realpathSync(root));
  return real ?? (path.dirname(root) === root ? root : path.join(realRoot(path.dirname(root)), path.basename(root)));
}

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  return ifPresent(() => readdirSync(folder)) ?? [];
}
