import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../api/index.ts';
import { ifPossible } from './disk/disk-errors.ts';
import { statQuietly, statIfThere } from '../quietly.ts';

const OF_OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const PRIVATE = 0o700;

/**
 * Closes the state folder to other users with chmod 700, if it holds nothing but state. A shared folder stays
 * unchanged, as long as other users cannot replace the files in it: the files of podrun are private anyway.
 * @param home the home folder, which never counts as a folder for state alone
 * @throws {PodrunError} when all users may replace the files in the folder
 */
export function protectStateFolder(root: string, home: string): void {
  refuseForeignFolder(root);
  let isOpen = false;
  ifPossible(() => {
    const before = statIfThere(root);
    if (before === undefined || (before.mode & OF_OTHERS) === 0) return;
    if ((before.mode & STICKY) === 0 && path.resolve(home) !== root && isForStateAlone(root)) {
      ifPossible(() => chmodSync(root, PRIVATE));
    }
    const { mode } = statSync(root);
    isOpen = (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
  });
  if (!isOpen) return;
  throw new PodrunError(
    'Forbidden',
    `cannot use the state folder ${root}: every user may write to it and replace its files`,
    { path: root, hint: `Protect it with chmod 700, or choose another folder with --state-dir or PODRUN_STATE_DIR.` },
  );
}

/** Refuses a folder of another user to root: files of root in it would lock that user out. */
function refuseForeignFolder(root: string): void {
  if (process.geteuid?.() !== 0) return;
  const uid = statQuietly(root)?.uid ?? 0;
  if (uid === 0) return;
  throw new PodrunError(
    'Forbidden',
    `cannot use the state folder ${root} as root: it belongs to the user with the uid ${uid}`,
    { path: root, hint: 'Run podrun as that user, or give root its own folder with --state-dir or PODRUN_STATE_DIR.' },
  );
}

/** True for an empty folder, and for one that podrun uses already. */
function isForStateAlone(root: string): boolean {
  return existsSync(path.join(root, '.locks')) || readdirSync(root).length === 0;
}
