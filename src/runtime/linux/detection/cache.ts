import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NamespaceDetection } from '../../features.ts';
import { runtimeFolder, temporaryFolderName } from './trial-folder.ts';
import { quietly, succeeds } from '../../../quietly.ts';

function cacheFile(stateDir: string): string {
  return path.join(runtimeFolder(stateDir), 'namespaces.json');
}

/** The device is part of the key: overlay layers depend on the file system. */
function wholeKey(stateDir: string, key: string): string {
  return `${statSync(stateDir, { throwIfNoEntry: false })?.dev ?? '-'} ${key}`;
}

/** The cached result for this key. Undefined: there is none, or it cannot be read. */
export function readCache(stateDir: string, key: string): NamespaceDetection | undefined {
  type Kept = { readonly key?: unknown; readonly detection?: NamespaceDetection } | null;
  return quietly(() => {
    const kept = JSON.parse(readFileSync(cacheFile(stateDir), 'utf8')) as Kept;
    return kept?.key === wholeKey(stateDir, key) && typeof kept.detection?.ok === 'boolean'
      ? kept.detection
      : undefined;
  });
}

/** Caches the result. Without a writable folder, the next start detects again. */
export function writeCache(stateDir: string, key: string, detection: NamespaceDetection): void {
  const file = cacheFile(stateDir);
  const draft = path.join(path.dirname(file), temporaryFolderName());
  const isWritten = succeeds(() => {
    writeFileSync(draft, JSON.stringify({ key: wholeKey(stateDir, key), detection }), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  });
  if (!isWritten) quietly(() => rmSync(draft, { force: true }));
}

/** Drops the cached result after a failed launch: the machine may have changed. */
export function forgetNamespaces(stateDir: string): void {
  rmSync(cacheFile(stateDir), { force: true });
}
