import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';

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

/** The file or folder at a path. Undefined when nothing is there, or when podrun may not look: a folder of others. */
export function statQuietly(file: string): Stats | undefined {
  // Most paths that are asked for lead nowhere: an exception would take longer than an empty result.
  return quietly(() => statSync(file, { throwIfNoEntry: false }));
}

/** The names in a folder. Empty when it cannot be read. */
export function filesIn(folder: string): string[] {
  return quietly(() => readdirSync(folder)) ?? [];
}
