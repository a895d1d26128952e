import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../api/errors.ts';
import { ifPossible } from './disk-errors.ts';

const OF_OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const PRIVATE = 0o700;

/**
 * Sees to it that nobody else gets into the state folder, where somebody has made or opened it. What podrun itself
 * makes in there only its user can enter anyway; so a folder that holds other things, too, is left as it is, as long as
 * others cannot replace what is in it.
 * @param home is never taken for a state folder alone
 * @throws {PodrunError} where everybody may replace what is in it
 */
export function closeStateFolder(root: string, home: string): void {
  refuseForeignFolder(root);
  let isOpen = false;
  ifPossible(() => {
    const before = statSync(root, { throwIfNoEntry: false });
    if (before === undefined || (before.mode & OF_OTHERS) === 0) return;
    if ((before.mode & STICKY) === 0 && path.resolve(home) !== root && isForStateAlone(root)) {
      ifPossible(() => chmodSync(root, PRIVATE));
    }
    const { mode } = statSync(root);
    isOpen = (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
  });
  if (!isOpen) return;
  throw new PodrunError(
    `cannot use the state folder ${root}: everybody may write to it, and so replace what is in it`,
    {
      hint: `Close it with chmod 700, or choose another folder with --state-dir or PODRUN_STATE_DIR.`,
    },
  );
}

/** Root can write to the folder of any user, who could not use it any more with files of root in it. */
function refuseForeignFolder(root: string): void {
  const uid = statSync(root, { throwIfNoEntry: false })?.uid ?? 0;
  if (process.geteuid?.() !== 0 || uid === 0) return;
  throw new PodrunError(`cannot use the state folder ${root} as root: it belongs to the user with the uid ${uid}`, {
    hint: 'Run podrun as that user, or give root a folder of its own with --state-dir or PODRUN_STATE_DIR.',
  });
}

/** Is it empty, or in use by podrun already? */
function isForStateAlone(root: string): boolean {
  return existsSync(path.join(root, '.locks')) || readdirSync(root).length === 0;
}
