import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { PodrunError } from './api/index.ts';
import { quietly } from './quietly.ts';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * The user's home folder, for state, images and caches. A user who has none, or may make no files there, has a folder
 * in the temporary folder instead: HOME is not set and /etc/passwd does not know the user, or it is `/`, as in a
 * container that is started with another user than its image names.
 * @throws {PodrunError} (Forbidden) when another user has made that folder
 */
export function homeFolder(): string {
  const home = quietly(homedir) ?? '';
  // A home folder that is in use already counts in any case.
  if (path.isAbsolute(home) && (existsSync(path.join(home, '.local')) || mayHoldFiles(home))) return home;
  const standIn = path.join(tmpdir(), standInName());
  refuseForeign(standIn);
  return standIn;
}

/** True for the folder that a user without a home folder has instead. */
export function isStandIn(home: string): boolean {
  return path.basename(home) === standInName();
}

/** The home folder that /etc/passwd names, whatever HOME says. */
export function accountHome(): string {
  return quietly(() => userInfo().homedir) ?? homeFolder();
}

/** The user's name. Undefined: /etc/passwd does not know the user. */
export function userName(): string | undefined {
  return quietly(() => userInfo().username);
}

function standInName(): string {
  return `podrun-home-${process.geteuid?.() ?? 0}`;
}

/** False when the user can make neither files in the folder nor the folder itself. */
function mayHoldFiles(folder: string): boolean {
  if (existsSync(folder)) return mayWrite(folder);
  return folder !== path.dirname(folder) && mayHoldFiles(path.dirname(folder));
}

function mayWrite(folder: string): boolean {
  return quietly(() => accessSync(folder, constants.W_OK) ?? true) === true;
}

function refuseForeign(folder: string): void {
  const present = quietly(() => lstatSync(folder));
  if (present === undefined) return;
  const isOwn =
    present.isDirectory() && present.uid === process.geteuid?.() && (present.mode & WRITABLE_BY_OTHERS) === 0;
  if (isOwn) return;
  throw new PodrunError(
    'Forbidden',
    `cannot use ${folder} in place of a home folder: other users may replace files in it`,
    {
      path: folder,
      hint: 'Set HOME to a folder of your own.',
    },
  );
}
