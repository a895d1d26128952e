import { lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';

/**
 * Runs something that may fail for a reason that does not matter: a file is missing, a process has ended, a right is
 * lacking. Returns undefined after any error.
 */
export function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** True when something ends without an error. */
export function succeeds(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** The text of a file. Empty when it cannot be read. */
export function readQuietly(file: string): string {
  return quietly(() => readFileSync(file, 'utf8')) ?? '';
}

/**
 * The file or folder at a path. Undefined when it does not exist, or when podrun may not look: a folder of another
 * user.
 */
export function statQuietly(file: string): Stats | undefined {
  // Most paths that are asked for lead nowhere: an exception would take longer than an empty result.
  return quietly(() => statSync(file, { throwIfNoEntry: false }));
}

/**
 * The file or folder at a path. Undefined when it does not exist. Node itself, from version 22 on, returns undefined
 * for a path through a file, too, where a user needs to know the reason.
 * @throws {Error} with an errno when podrun cannot look: a folder of another user, a path through a file
 */
export function statIfThere(file: string): Stats | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  // lstat keeps the difference in all versions. A link that leads nowhere exists for it.
  if (stats !== undefined || lstatSync(file, { throwIfNoEntry: false }) === undefined) return stats;
  try {
    return statSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The names in a folder. Empty when it cannot be read. */
export function filesIn(folder: string): string[] {
  return quietly(() => readdirSync(folder)) ?? [];
}
