import { chmodSync, lstatSync, promises, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { filesIn, quietly } from './quietly.ts';

const OWN_FOLDER_MODE = 0o700;

/**
 * The number of times that an asynchronous removal is tried again while another process still creates files in the
 * folder, and the waits between.
 */
export interface RemovalPatience {
  readonly maxRetries: number;
  /** In milliseconds. Each wait is longer by this. */
  readonly retryDelay: number;
}

/**
 * Removes a folder with everything in it, also below folders that deny their own user to look or to write: the kernel
 * makes one of mode 000 for each overlay, and containers make more. A file or a link is removed itself. Nothing happens
 * when there is nothing. Of Node's own ways, rmSync fails at an empty folder of mode 000 from Node 24 on, at a full one
 * in each version, and takes milliseconds for a few files.
 * @throws {Error} with an errno, at the first entry that cannot be removed: it belongs to another user, or a process
 * has just made it
 */
export function removeTree(place: string): void {
  try {
    removeAsItIs(place);
  } catch (error) {
    if (!isDenied(error)) throw error;
    openFolders(place);
    removeAsItIs(place);
  }
}

/**
 * Removes a folder that may be large as removeTree does: podrun does other work meanwhile. Rejects where that throws.
 */
export async function removeLargeTree(place: string, patience?: RemovalPatience): Promise<void> {
  const remove = (): Promise<void> => promises.rm(place, { recursive: true, force: true, ...patience });
  try {
    await remove();
  } catch (error) {
    if (!isDenied(error)) throw error;
    openFolders(place);
    await remove();
  }
}

function removeAsItIs(place: string): void {
  if (!isFolder(place)) {
    unlessGone(() => unlinkSync(place));
    return;
  }
  for (const entry of unlessGone(() => readdirSync(place, { withFileTypes: true })) ?? []) {
    const below = path.join(place, entry.name);
    if (entry.isDirectory()) removeAsItIs(below);
    else unlessGone(() => unlinkSync(below));
  }
  unlessGone(() => rmdirSync(place));
}

/** Gives the user all rights on the folders of a tree. No link is followed. */
function openFolders(place: string): void {
  if (quietly(() => isFolder(place)) !== true) return;
  // A folder of another user stays unchanged.
  quietly(() => chmodSync(place, OWN_FOLDER_MODE));
  for (const name of filesIn(place)) openFolders(path.join(place, name));
}

function isFolder(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Runs a step of a removal. Another process may be faster. */
function unlessGone<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
