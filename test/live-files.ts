import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../src/quietly.ts';

/** Reads files that another process may remove: a missing file is left out, any other error is thrown. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** The answer of `look`. Undefined when the file does not exist. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** A file at the time of the look. */
export interface SeenFile {
  readonly file: string;
  /** The text in Latin-1: a character for each byte. */
  readonly text: string;
  readonly mode: number;
}

/** Files below a folder, each read as soon as it is found: none of a folder that may not be read. Follows no links. */
export function filesBelow(folder: string): SeenFile[] {
  const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    const seen = entry.isFile() ? ifThere(() => seenFile(file)) : undefined;
    return seen === undefined ? [] : [seen];
  });
}

/** The text and the mode of one file, also when another file replaces it meanwhile. */
function seenFile(file: string): SeenFile {
  const fd = openSync(file, 'r');
  try {
    return { file, text: readFileSync(fd, 'latin1'), mode: fstatSync(fd).mode & 0o7777 };
  } finally {
    closeSync(fd);
  }
}
