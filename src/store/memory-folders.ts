import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  statfsSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { removeTree } from './atomic-file.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import { type KnownProcess, knownProcess, presenceOf, type ProcessLookup } from './known-process.ts';

/*
 * Folders that are in memory, and never on a disk: for secrets, and for volumes that are to be in memory.
 *
 * PLACE/podrun-UID/STATE/POD/VOLUME   PLACE is a tmpfs, UID our user, STATE stands for the state folder
 * PLACE/podrun-UID/STATE/POD.owner -> PID|START|BOOT|NAMESPACE|MACHINE|ROOT   its maker, and the state folder
 *
 * Only our user can enter the first folder: whatever the modes of the files are, nobody else reads them.
 */

/** Where there may be memory, and for whom. */
export interface MemoryArea {
  /** The state folder. */
  readonly root: string;
  /** Mount points of tmpfs that are tried, in this order. */
  readonly places: readonly string[];
  readonly processes: ProcessLookup;
}

/** Source: include/uapi/linux/magic.h TMPFS_MAGIC. */
const TMPFS = 0x01021994;
const FOLDER_MODE = 0o700;
const OF_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const OWNER = '.owner';
const ATTEMPTS_MAX = 10;

export interface MemoryFolder {
  readonly folder: string;
  readonly isNew: boolean;
}

/**
 * Makes a folder in memory for a volume of a Pod, or answers the one that is there.
 * @param bytes that must be free for a new one
 * @returns undefined: there is no tmpfs, none with so much room, or none that others cannot spoil
 */
export function makeMemoryFolder(
  area: MemoryArea,
  podUid: string,
  volume: string,
  bytes: number,
): MemoryFolder | undefined {
  const below = path.join(stateName(area.root), podName(podUid));
  const own = area.places.map(baseIn).filter(isOwnFolder);
  const present = own.map((base) => path.join(base, below, volume)).find(isFolder);
  if (present !== undefined) {
    sign(path.dirname(present) + OWNER, area);
    return { folder: present, isNew: false };
  }
  for (const place of area.places) {
    try {
      if (isSuitable(place, bytes)) return makeIn(path.join(baseIn(place), below), area, volume);
    } catch (error) {
      // What is no longer there, or may not be used, is no place for it.
      if (errorCode(error) === undefined) throw error;
    }
  }
  return undefined;
}

/** The first place in which volumes can be in memory; undefined: there is none. */
export function memoryPlace(places: readonly string[]): string | undefined {
  return places.find((place) => {
    try {
      return isSuitable(place, 1);
    } catch {
      return false;
    }
  });
}

/** The folders that hold all folders of ours in memory. Not all of them need to be there. */
export function memoryFolders({ places }: MemoryArea): string[] {
  return places.map(baseIn);
}

/** Removes all folders of a Pod that are in memory. What cannot be removed is left for the next sweep. */
export function removeMemoryFolders({ root, places }: MemoryArea, podUid: string): void {
  for (const base of places.map(baseIn).filter(isOwnFolder))
    removePod(path.join(base, stateName(root)), podName(podUid));
}

/**
 * Removes what podruns that are gone have left in memory: of this state folder, and of state folders that are gone.
 * @param podsInNeed uids of Pods of this state folder that may still run, although who made their folders is gone
 */
export function sweepMemoryFolders(area: MemoryArea, podsInNeed: () => readonly string[]): void {
  let needed: ReadonlySet<string> | undefined;
  const isNeeded = (pod: string): boolean => (needed ??= new Set(podsInNeed().map(podName))).has(pod);
  for (const base of area.places.map(baseIn).filter(isOwnFolder)) {
    for (const state of namesIn(base)) {
      const home = path.join(base, state);
      for (const pod of new Set(namesIn(home).map((name) => path.basename(name, OWNER)))) {
        if (isLeftover(area, path.join(home, pod), () => isNeeded(pod))) removePod(home, pod);
      }
      removeEmpty(home);
    }
    removeEmpty(base);
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
  // Older podruns wrote the state folder, which begins with a slash, at once.
  if (pidNamespace.startsWith('/')) return { maker: process, itsRoot: rest.join('|') };
  return { maker: { ...process, pidNamespace, machineId }, itsRoot: itsRoot.join('|') };
}

/** Is it a tmpfs with that much room, where others cannot put something else in the place of what is ours? */
function isSuitable(place: string, bytes: number): boolean {
  const { type, bavail, bsize } = statfsSync(place);
  if (type !== TMPFS || bavail * bsize < bytes) return false;
  const { mode, uid } = lstatSync(place);
  const isOfOthers = uid !== 0 && uid !== process.geteuid?.();
  return !isOfOthers && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}

/** Where everybody can make entries, somebody may have been there before us: a link or folder of others is not used. */
function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  if (!isOwnFolder(folder)) throw Object.assign(new Error(`${folder} is not ours`), { code: 'EPERM' });
  // It is ours, so that nobody else can replace it meanwhile.
  if ((lstatSync(folder).mode & OF_OTHERS) !== 0) chmodSync(folder, FOLDER_MODE);
}

function isFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isOwnFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.isDirectory() && stats.uid === process.geteuid?.();
}

/** Meanwhile another podrun may remove the folders above, as they were empty. */
function makeIn(pod: string, area: MemoryArea, volume: string): MemoryFolder {
  const home = path.dirname(pod);
  const folder = path.join(pod, volume);
  for (let attempt = 1; ; attempt++) {
    try {
      makeOwnFolder(path.dirname(home));
      makeOwnFolder(home);
      sign(pod + OWNER, area);
      makeOwnFolder(pod);
      mkdirSync(folder, { mode: FOLDER_MODE });
      return { folder, isNew: true };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

function sign(link: string, { root, processes }: MemoryArea): void {
  const { pid, startTime, bootId, pidNamespace = '', machineId = '' } = knownProcess(process.pid, processes);
  const signature = [pid, startTime, bootId, pidNamespace, machineId, realRoot(root)].join('|');
  if (linkTarget(link) === signature) return;
  ifPresent(() => unlinkSync(link));
  symlinkSync(signature, link);
}

function removePod(home: string, pod: string): void {
  const folder = path.join(home, pod);
  removeTree(folder);
  if (existsSync(folder)) return;
  ifPresent(() => unlinkSync(folder + OWNER));
  removeEmpty(home);
  removeEmpty(path.dirname(home));
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone already.
  }
}

function baseIn(place: string): string {
  return path.join(place, `podrun-${process.geteuid?.() ?? 0}`);
}

function stateName(root: string): string {
  return digest(realRoot(root));
}

/** As it is, where it is like a UUID: a manifest may give any text. */
function podName(uid: string): string {
  return /^[\w-]{1,64}$/.test(uid) ? uid : digest(uid);
}

function digest(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The state folder by its one true name, even when it is gone. */
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
