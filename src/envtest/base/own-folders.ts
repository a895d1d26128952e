import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { localProcesses } from '../../runtime/index.ts';
import { type KnownProcess, knownProcess, presenceOf } from '../../store/index.ts';

/** The file that names the process of a folder. */
const OWNER = 'owner';

/** A folder of this process in the common folder. */
interface OwnFolder {
  readonly path: string;
  /** Removes it, and the common folder when it was the last one. */
  readonly remove: () => void;
}

/** The tries to make a folder while another process removes the common one. */
const TRIES = 10;

/**
 * Makes a folder for this process, and removes what processes have left that were killed.
 * @param name undefined: a new one
 * @throws {PodrunError} when the common folder is not the user's own
 */
export function makeOwnFolder(name?: string): OwnFolder {
  for (let left = TRIES; ; left -= 1) {
    try {
      const common = openCommonFolder();
      const folder = name === undefined ? mkdtempSync(path.join(common, 'suite-')) : path.join(common, name);
      if (name !== undefined) {
        removeTree(folder);
        mkdirSync(folder, { mode: 0o700 });
      }
      const owner = JSON.stringify(knownProcess(process.pid, localProcesses));
      writeFileSync(path.join(folder, OWNER), owner, { mode: 0o600 });
      return { path: folder, remove: () => remove(folder) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw error;
    }
  }
}

function remove(folder: string): void {
  quietly(() => removeTree(folder));
  // It has folders of other processes in most cases.
  quietly(() => rmdirSync(path.dirname(folder)));
}

/**
 * The folder of all processes of envtest of this user, with a folder for each of them. The shell script kube-apiserver
 * has the same name.
 */
function openCommonFolder(): string {
  const common = path.join(tmpdir(), `podrun-envtest-${process.getuid?.() ?? 0}`);
  mkdirSync(common, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(common);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new PodrunError('Disk', `${common} belongs to another user, or another user may write into it`);
  for (const name of readdirSync(common)) {
    const folder = path.join(common, name);
    // Another process may be making or removing it.
    quietly(() => {
      const owner = JSON.parse(readFileSync(path.join(folder, OWNER), 'utf8')) as KnownProcess;
      if (presenceOf(owner, localProcesses) === 'gone') removeTree(folder);
    });
  }
  return common;
}
