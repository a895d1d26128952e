import {
  existsSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { placeTag } from '../place.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import type { ProcessLookup } from './known-process.ts';
import { parseStored, type Soundness } from './stored-json.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Names of older podruns end with the number. */
const TEMPORARY = /^\.tmp-(\d+)-\d+(?:-([\da-f]{8}))?$/;

let temporaryFiles = 0;

/** A name that no living process uses twice: starts with a dot, which no Kubernetes name does. */
export function temporaryName(): string {
  temporaryFiles += 1;
  return `.tmp-${process.pid}-${temporaryFiles}-${placeTag()}`;
}

export const isTemporary = (name: string): boolean => TEMPORARY.test(name);

/** True for a temporary name whose maker is gone. A maker in another PID namespace or on another machine may live. */
export function isLeftover(name: string, lookup: ProcessLookup): boolean {
  const [, maker, tag] = TEMPORARY.exec(name) ?? [];
  if (maker === undefined || (tag !== undefined && tag !== placeTag())) return false;
  return lookup.startTimeOf(Number(maker)) === undefined;
}

/**
 * Puts a file in its place in one step: a reader sees the old text or the new one, whole, and a crash leaves one of
 * them. Not flushed to the disk (no fsync): that guards against power failures, after which no process of a Pod is
 * left for a status to tell of, and it would cost every transition milliseconds.
 */
export function writeFileAtomically(file: string, text: string): void {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    writePrivateFile(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** What {@link replaceFile} calls the text before. */
const before = (file: string): string => `${file}.before`;

/**
 * Puts a file in its place like {@link writeFileAtomically}, for files that change often: the one before stays beside
 * it. Where one rename replaces a file that was just written, ext4 sends the new one to the disk first, and the caller
 * waits; here no rename replaces anything. In between, for some microseconds, only the one before is there.
 */
export function replaceFile(file: string, text: string): void {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    writePrivateFile(temporary, text);
    ifPresent(() => unlinkSync(before(file)));
    ifPresent(() => renameSync(file, before(file)));
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The object in a file that {@link replaceFile} writes, or else in the one before. */
export function readReplacedJson<T>(file: string, isSound?: Soundness): T | undefined {
  return readJson<T>(file, isSound) ?? readJson<T>(before(file), isSound);
}

/** A new file that only its user can read. */
export function writePrivateFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: FILE_MODE });
}

/**
 * Makes a folder, and those above it, that only its user can enter. Node's own recursive way tells ENOENT for EROFS,
 * and never comes back from a file system that answers ENOENT to every mkdir, as /proc does.
 * @param mode of every folder that is made
 * @returns false where the folder was there already
 */
export function makeFolder(folder: string, mode: number = FOLDER_MODE): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return false;
    const parent = path.dirname(folder);
    if (errorCode(error) !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent, mode);
    return makeFolder(folder, mode);
  }
}

/** Runs a step that puts something into a folder; where the folder is missing, makes it and repeats the step. */
export function inFolder<T>(folder: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolder(folder);
    return step();
  }
}

/** The object in a file of JSON; undefined when there is none, see parseStored. */
export function readJson<T>(file: string, isSound?: Soundness): T | undefined {
  const text = ifPresent(() => readFileSync(file, 'utf8'));
  return text === undefined ? undefined : parseStored<T>(text, isSound);
}

/** Names in a folder, sorted, without those of podrun's own files; none where there is no folder. */
export function namesIn(folder: string): string[] {
  const names = ifPresent(() => readdirSync(folder)) ?? [];
  return names.filter((name) => !name.startsWith('.')).toSorted();
}

/**
 * Removes a folder and everything in it. Containers may have left folders that their own user cannot write to; those
 * are opened up first. What still cannot be removed (files of another user) stays: it must not stop a deletion.
 */
export function removeTree(folder: string): void {
  try {
    // Most runs have no volumes, and nothing is to be done.
    const present = lstatSync(folder, { throwIfNoEntry: false });
    if (present?.isDirectory() === true) takeAway(folder);
    else if (present !== undefined) rmSync(folder, { force: true });
  } catch {
    openUp(folder);
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It lies in the folder of things to be taken away; the next attempt may have more luck.
    }
  }
}

/** As rmSync does, which takes milliseconds for a handful of files: every start removes an earlier run of its Pod. */
function takeAway(folder: string): void {
  for (const entry of ifPresent(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) takeAway(place);
    else unlinkSync(place);
  }
  ifPresent(() => rmdirSync(folder));
}

function openUp(folder: string): void {
  try {
    chmodSync(folder, FOLDER_MODE);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) openUp(path.join(folder, entry.name));
    }
  } catch {
    // Somebody else's folder.
  }
}
