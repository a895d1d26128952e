import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { statIfThere } from '../../quietly.ts';
import { machineTag } from '../../machine-id.ts';
import { errorCode, ifPresent } from './disk-errors.ts';
import type { ProcessLookup } from './known-process.ts';
import { parseStored, type ShapeCheck } from './stored-json.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The names of temporary files. Older versions of podrun left out the place tag at the end. */
const TEMPORARY = /^\.tmp-(\d+)-\d+(?:-([\da-f]{8}))?$/;

let temporaryFiles = 0;

/** A name that no other living process uses. It starts with a dot, which no Kubernetes name does. */
export function temporaryName(): string {
  temporaryFiles += 1;
  return `.tmp-${process.pid}-${temporaryFiles}-${machineTag()}`;
}

export const isTemporary = (name: string): boolean => TEMPORARY.test(name);

/** True for a temporary name whose process is gone. A process of another PID namespace or machine counts as alive. */
export function isLeftover(name: string, lookup: ProcessLookup): boolean {
  const [, maker, tag] = TEMPORARY.exec(name) ?? [];
  if (maker === undefined || (tag !== undefined && tag !== machineTag())) return false;
  return lookup.startTimeOf(Number(maker)) === undefined;
}

/**
 * Writes a file in one step: a reader sees the whole old text or the whole new text, also after a crash. Does not flush
 * to the disk (fsync), which would cost every transition milliseconds. A flush would help only after a power failure,
 * which ends all processes of the Pod anyway.
 * @param modifiedMicros the modification time of the file, microseconds since 1970. Default: now
 */
export function writeFileAtomically(file: string, text: string, modifiedMicros?: number): void {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    writePrivateFile(temporary, text, modifiedMicros);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Writes a file that only its user can read.
 * @param modifiedMicros see writeFileAtomically
 */
export function writePrivateFile(file: string, text: string, modifiedMicros?: number): void {
  writeFileSync(file, text, { mode: FILE_MODE });
  if (modifiedMicros === undefined) return;
  // The system cuts fractions off: half a microsecond more keeps rounding errors away.
  const seconds = (modifiedMicros + 0.5) / 1_000_000;
  utimesSync(file, seconds, seconds);
}

/**
 * Makes a folder, and its missing parents, by default for its user alone. The recursive mkdir of Node reports ENOENT
 * for EROFS, and never returns from a file system that fails every mkdir with ENOENT, as /proc does.
 * @param make makes a folder in an existing one
 * @returns false when the folder existed already
 */
export function makeFolder(folder: string, make: (folder: string) => void = makePrivate): boolean {
  return makeWithParents(folder, make, true);
}

/** @param hasAgain true for a first attempt: another process may make the parent right behind it */
function makeWithParents(folder: string, make: (folder: string) => void, hasAgain: boolean): boolean {
  try {
    make(folder);
    return true;
  } catch (error) {
    if (statIfThere(folder)?.isDirectory() === true) return false;
    const parent = path.dirname(folder);
    const isThere = existsSync(parent);
    if (errorCode(error) !== 'ENOENT' || (isThere && !hasAgain)) throw error;
    if (!isThere) makeWithParents(parent, make, true);
    return makeWithParents(folder, make, false);
  }
}

function makePrivate(folder: string): void {
  mkdirSync(folder, { mode: FOLDER_MODE });
}

/** Runs a step that writes into a folder. Makes the folder and repeats the step when the folder is missing. */
export function inFolder<T>(folder: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolder(folder);
    return step();
  }
}

/** The object in a file of JSON. Undefined when the file is missing or broken: see parseStored. */
export function readJsonFile<T>(file: string, hasShape?: ShapeCheck): T | undefined {
  const text = ifPresent(() => readFileSync(file, 'utf8'));
  return text === undefined ? undefined : parseStored<T>(text, hasShape);
}

/** The names in a folder, sorted, without names of podrun's own files. Empty when there is no such folder. */
export function namesIn(folder: string): string[] {
  // Most kinds have no object: an exception would take longer than this look.
  const names = (statIfThere(folder) && ifPresent(() => readdirSync(folder))) ?? [];
  return names.filter((name) => !name.startsWith('.')).toSorted();
}
