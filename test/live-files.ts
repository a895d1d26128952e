import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Reading where somebody else works: what is gone between listing and reading is not there, anything else is told. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** What `look` says; undefined when what it looks at is not there, or not any more. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** A file as it was when it was looked at. */
export interface SeenFile {
  readonly file: string;
  /** Each byte a character. */
  readonly text: string;
  readonly mode: number;
}

/** Files below a folder, links not followed, each read as soon as it is found. */
export function filesBelow(folder: string): SeenFile[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    const seen = entry.isFile() ? ifThere(() => seenFile(file)) : undefined;
    return seen === undefined ? [] : [seen];
  });
}

/** Its text and its mode are those of one file, also when another one takes its place meanwhile. */
function seenFile(file: string): SeenFile {
  const fd = openSync(file, 'r');
  try {
    return { file, text: readFileSync(fd, 'latin1'), mode: fstatSync(fd).mode & 0o7777 };
  } finally {
    closeSync(fd);
  }
}
