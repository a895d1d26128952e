import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { removeTree } from '../../remove-tree.ts';
import { quietly } from '../../quietly.ts';
import { formatTime } from '../../api/index.ts';
import type { VolumeFile } from '../../lifecycle/index.ts';
import { mkdirIfMissing } from '../../runtime/index.ts';

/** A link to the folder with the current files. */
const DATA = '..data';
const NEW_DATA = '..data_tmp';
const DATED_FOLDER = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;
const FOLDER_MODE = 0o755;

type Files = ReadonlyMap<string, VolumeFile>;

/**
 * Writes files into a volume in one step and removes the old ones: a reader that follows the links sees all old files
 * or all new ones. Leaves files alone that have not changed.
 *
 * ```
 * VOLUME/..2026_01_31_12_00_00.x8SbKd/a/b   the files
 * VOLUME/..data -> ..2026_01_31_12_00_00.x8SbKd   replaced by a rename, which is the step
 * VOLUME/a -> ..data/a                      for each name at the top level
 * ```
 *
 * Source: pkg/volume/util/atomic_writer.go.
 * @param folder an existing folder
 * @param wallMs the current time
 * @param beforeTheyAreSeen called with the new files written, before the rename makes them visible
 */
export function writeVolumeFiles(
  folder: string,
  files: Files,
  wallMs: number,
  beforeTheyAreSeen: () => void = () => undefined,
): void {
  const current = currentFolder(folder);
  if (current !== undefined && holds(path.join(folder, current), files)) return;
  const dated = newFolder(folder, files, wallMs);
  beforeTheyAreSeen();
  rmSync(path.join(folder, NEW_DATA), { force: true });
  symlinkSync(dated, path.join(folder, NEW_DATA));
  renameSync(path.join(folder, NEW_DATA), path.join(folder, DATA));
  const names = new Set([...files.keys()].map((file) => file.split('/')[0] ?? ''));
  for (const name of names) link(folder, name);
  removeRest(folder, { dated, names });
}

/** The folder with the current files. Undefined: there is none, or a container has replaced the link. */
function currentFolder(folder: string): string | undefined {
  const target = quietly(() => readlinkSync(path.join(folder, DATA)));
  return target !== undefined && isDated(target) ? target : undefined;
}

function isDated(name: string): boolean {
  return DATED_FOLDER.test(name) && !name.includes('/');
}

/** True when the folder has exactly these files with these contents. */
function holds(folder: string, files: Files): boolean {
  const isSame = quietly(() => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    if (entries.filter((entry) => !entry.isDirectory()).length !== files.size) return false;
    return [...files].every(([name, { bytes }]) => readFileSync(path.join(folder, name)).equals(bytes));
  });
  return isSame ?? false;
}

/**
 * Writes all files into a new folder and returns its name. Sets each mode by chmod, because the umask would change it.
 */
function newFolder(volume: string, files: Files, wallMs: number): string {
  const date = formatTime(wallMs).slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replaceAll(/[-T:]/g, '_');
  const folder = mkdtempSync(path.join(volume, `..${date}.`));
  try {
    chmodSync(folder, FOLDER_MODE);
    for (const [name, { bytes, mode }] of files) {
      const file = path.join(folder, name);
      makeFolders(folder, path.dirname(name));
      writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
      chmodSync(file, mode);
    }
  } catch (error) {
    removeTree(folder);
    throw error;
  }
  return path.basename(folder);
}

function makeFolders(root: string, name: string): void {
  if (name === '.') return;
  makeFolders(root, path.dirname(name));
  mkdirIfMissing(path.join(root, name), FOLDER_MODE);
}

/** Links a name. Removes anything that a container has put in its place. */
function link(folder: string, name: string): void {
  const file = path.join(folder, name);
  const target = `${DATA}/${name}`;
  if (quietly(() => readlinkSync(file)) === target) return;
  removeTree(file);
  symlinkSync(target, file);
}

/** Removes links to files that are gone, and folders of earlier writes, also of incomplete ones. */
function removeRest(folder: string, { dated, names }: { dated: string; names: ReadonlySet<string> }): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const isStale = !names.has(name) && quietly(() => readlinkSync(file)) === `${DATA}/${name}`;
    if (isStale || (isDated(name) && name !== dated)) removeTree(file);
  }
}
