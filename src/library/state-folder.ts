import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import { atExit } from '../run/at-exit.ts';
import { localProcesses } from '../runtime/process-identity.ts';
import { removeTree } from '../store/atomic-file.ts';
import { FileStore } from '../store/file-store.ts';
import { knownProcess, presenceOf } from '../store/known-process.ts';
import { memoryPlaces } from '../store/layout.ts';
import { closeStateFolder } from '../store/state-folder.ts';

/** Folders of runs have names that begin like this, and say in a file whose they are. */
const PREFIX = 'podrun-run-';
const OWNER = '.run-of';

/** Where a run keeps what it knows. */
export interface StatePlace {
  readonly store: FileStore;
  /** Nobody needs it any more: one that was made for the run goes. */
  close(): void;
}

/**
 * Opens the state folder of that name; without one, makes one for this run alone.
 * @throws {PodrunError} where everybody may replace what is in it
 */
export function openState(stateDir: string | undefined, clock: Clock): StatePlace {
  const root = stateDir ?? mkdtempSync(path.join(tmpdir(), PREFIX));
  if (stateDir !== undefined) closeStateFolder(root, homedir());
  const places = memoryPlaces(process.env, process.getuid?.());
  const store = new FileStore({ root, clock, processes: localProcesses, memoryPlaces: places });
  if (stateDir !== undefined) return { store, close: () => undefined };
  writeFileSync(path.join(root, OWNER), ownName());
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

/** Removes what runs have left whose processes were killed. */
export function sweepStateFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    try {
      if (statSync(folder).uid !== process.getuid?.()) continue;
      if (!isInUse(readFileSync(path.join(folder, OWNER), 'utf8'))) removeFolder(folder);
    } catch {
      // It is being made, or somebody else removes it.
    }
  }
}

function ownName(): string {
  const { pid, startTime, bootId, pidNamespace, machineId } = knownProcess(process.pid, localProcesses);
  return [pid, startTime, bootId, pidNamespace, machineId].join('|');
}

/** True unless the process that made it is certainly gone: containers may share a folder for temporary files. */
function isInUse(owner: string): boolean {
  const [pid = '0', startTime = '', bootId = '', pidNamespace, machineId] = owner.split('|');
  return presenceOf({ pid: Number(pid), startTime, bootId, pidNamespace, machineId }, localProcesses) !== 'gone';
}

/** What cannot be removed now, the next run removes. */
function removeFolder(folder: string): void {
  try {
    removeTree(folder);
  } catch {
    // A container in the middle of writing.
  }
}
