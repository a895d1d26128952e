import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePrivate, runtimeFolder, temporaryFolderName } from './trial-folder.ts';
import { quietly, succeeds, statIfThere } from '../../../quietly.ts';

/** A detection whose result is cached in the state folder. */
export type CachedDetection = 'namespaces' | 'cluster';

function cacheFile(stateDir: string, of: CachedDetection): string {
  return path.join(runtimeFolder(stateDir), `${of}.json`);
}

/** The device is part of the key: overlay layers depend on the file system. */
function wholeKey(stateDir: string, key: string): string {
  return `${statIfThere(stateDir)?.dev ?? '-'} ${key}`;
}

/** The cached result for this key. Undefined: there is none, or it cannot be read. */
export function readCache<T extends { readonly ok: boolean }>(
  stateDir: string,
  of: CachedDetection,
  key: string,
): T | undefined {
  type Kept = { readonly key?: unknown; readonly detection?: T } | null;
  return quietly(() => {
    const kept = JSON.parse(readFileSync(cacheFile(stateDir, of), 'utf8')) as Kept;
    return kept?.key === wholeKey(stateDir, key) && typeof kept.detection?.ok === 'boolean'
      ? kept.detection
      : undefined;
  });
}

/** Errors of the system when processes, memory or open files are scarce. */
const SHORTAGE_ERRNO = /\b(?:EAGAIN|EMFILE|ENFILE|ENOMEM)\b/;
/** The same in the words of programs. */
const SHORTAGE_TEXT = /can(?:no|')t fork|cannot allocate memory|resource temporarily unavailable|too many open files/i;

/**
 * Caches the result, except after a trial that a shortage has ended, which passes. Without a writable folder, the next
 * start detects again.
 */
export function writeCache(stateDir: string, of: CachedDetection, key: string, detection: unknown): void {
  const file = cacheFile(stateDir, of);
  const draft = path.join(path.dirname(file), temporaryFolderName());
  const said = JSON.stringify(detection);
  if (SHORTAGE_ERRNO.test(said) || SHORTAGE_TEXT.test(said)) return;
  const isWritten = succeeds(() => {
    makePrivate(path.dirname(file));
    writeFileSync(draft, JSON.stringify({ key: wholeKey(stateDir, key), detection }), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  });
  if (!isWritten) quietly(() => rmSync(draft, { force: true }));
}

/** Drops the cached result after a failed launch: the machine may have changed. */
export function forgetDetection(stateDir: string, of: CachedDetection): void {
  rmSync(cacheFile(stateDir, of), { force: true });
}
