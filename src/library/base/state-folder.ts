import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { homeFolder } from '../../user.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import type { Clock } from '../../clock.ts';
import { atExit, localProcesses, memoryMounts } from '../../runtime/index.ts';
import {
  FileStore,
  knownProcess,
  memoryMountPoints,
  onDisk,
  presenceOf,
  protectStateFolder,
} from '../../store/index.ts';

/** The beginning of the names of state folders made for one run. The file OWNER in each names its process. */
const PREFIX = 'podrun-run-';
const OWNER = '.run-of';

/** The state folder of a run. */
export interface StateFolder {
  readonly store: FileStore;
  /** Removes the folder, if it was made for this run. */
  close(): void;
}

function newFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), PREFIX));
  try {
    writeFileSync(path.join(root, OWNER), ownName(), { mode: 0o600 });
    return root;
  } catch (error) {
    removeFolder(root);
    throw error;
  }
}

/**
 * Opens the named state folder. Without a name, makes a folder for this run alone.
 * @throws {PodrunError} when other users may replace the files in the folder, or no folder can be created
 */
export function openStateFolder(stateDir: string | undefined, clock: Clock): StateFolder {
  const root = stateDir ?? onDisk(`the folder for temporary files ${tmpdir()}`, newFolder);
  if (stateDir !== undefined) protectStateFolder(root, homeFolder());
  const places = memoryMountPoints(process.env, process.getuid?.());
  const store = new FileStore({ root, clock, processes: localProcesses, memoryMountPoints: places, memoryMounts });
  if (stateDir !== undefined) return { store, close: () => undefined };
  const remove = (): void => removeFolder(root);
  const forget = atExit(remove);
  return {
    store,
    close: () => {
      forget();
      remove();
    },
  };
}

/** Removes the state folders of runs that were killed. */
export function sweepStateFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    // Another process may be making or removing the folder.
    quietly(() => {
      if (statSync(folder).uid !== process.getuid?.()) return;
      if (!isInUse(readFileSync(path.join(folder, OWNER), 'utf8'))) removeFolder(folder);
    });
  }
}

function ownName(): string {
  const { pid, startTime, bootId, pidNamespace, machineId } = knownProcess(process.pid, localProcesses);
  return [pid, startTime, bootId, pidNamespace, machineId].join('|');
}

/** True unless the owner has certainly ended: containers with different process ids may share a temporary folder. */
function isInUse(owner: string): boolean {
  const [pid = '0', startTime = '', bootId = '', pidNamespace, machineId] = owner.split('|');
  return presenceOf({ pid: Number(pid), startTime, bootId, pidNamespace, machineId }, localProcesses) !== 'gone';
}

/** Removes a folder. The next run removes what cannot be removed now. */
function removeFolder(folder: string): void {
  // A container may still be writing into the folder.
  quietly(() => removeTree(folder));
}
