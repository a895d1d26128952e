import { type FSWatcher, statSync, watch } from 'node:fs';
import { makeFolder, namesIn } from './atomic-file.ts';
import { ifPossible, ifPresent } from './disk-errors.ts';
import { namespaceFolder, resourceFolder } from './layout.ts';
import { keysIn } from './listing.ts';
import type { ObjectKey } from './store.ts';
import type { Resource } from './store.ts';

/**
 * Calls back when the file system tells of something at a path. Where it cannot tell (network file systems, too many
 * watches), nothing is said: callers look again from time to time anyway, also for what they cannot read just now.
 */
export function watchPath(path: string, onChange: (entry: string | undefined) => void): { close(): void } {
  let watcher: FSWatcher;
  try {
    watcher = watch(path, (_, entry) => ifPossible(() => onChange(entry ?? undefined)));
  } catch {
    return { close: () => {} };
  }
  watcher.on('error', () => watcher.close());
  return watcher;
}

/** One folder that is watched, as it was when that began: another one may come into its place. */
interface WatchedFolder {
  readonly path: string;
  readonly onChange: (entry: string | undefined) => void;
  /** Which folder that was; undefined: it was not there. */
  identity: string | undefined;
  watcher: { close(): void };
}

/**
 * Watches the folders of a resource for entries that come, change or go: one namespace or all, also such as come
 * later.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #resource: Resource;
  readonly #onEntry: (key: ObjectKey) => void;
  /** By namespace. */
  readonly #watched = new Map<string, WatchedFolder>();
  /** Watched for new namespaces. */
  #all: WatchedFolder | undefined;

  constructor(root: string, resource: Resource, onEntry: (key: ObjectKey) => void) {
    this.#root = root;
    this.#resource = resource;
    this.#onEntry = onEntry;
  }

  /** Watches a namespace, or all of them, from now on. */
  add(namespace: string | undefined): void {
    if (namespace !== undefined) return this.#addNamespace(namespace);
    const folder = resourceFolder(this.#root, this.#resource);
    this.#all ??= watched(folder, () => this.rescan());
    for (const each of namesIn(folder)) this.#addNamespace(each);
  }

  /** Tells of everything that is there, whether it changed or not. */
  rescan(): void {
    if (this.#all !== undefined) {
      renew(this.#all);
      this.add(undefined);
    }
    for (const [namespace, folder] of this.#watched) {
      renew(folder);
      ifPossible(() => {
        for (const key of keysIn(this.#root, this.#resource, { namespace })) this.#onEntry(key);
      });
    }
  }

  close(): void {
    this.#all?.watcher.close();
    this.#all = undefined;
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  #addNamespace(namespace: string): void {
    if (this.#watched.has(namespace)) return;
    const onChange = (name: string | undefined): void => {
      if (name === undefined) this.rescan();
      else if (!name.startsWith('.')) this.#onEntry({ namespace, name });
    };
    this.#watched.set(namespace, watched(namespaceFolder(this.#root, this.#resource, namespace), onChange));
  }
}

function watched(path: string, onChange: WatchedFolder['onChange']): WatchedFolder {
  // It must exist to be watched. A reader may not be able to make it: then looking from time to time has to do.
  ifPossible(() => makeFolder(path));
  return { path, onChange, identity: identityOf(path), watcher: watchPath(path, onChange) };
}

/** Watches the folder that is there now, where that is another one: the first was removed, and a second made. */
function renew(folder: WatchedFolder): void {
  const identity = identityOf(folder.path);
  if (identity === folder.identity) return;
  folder.watcher.close();
  folder.watcher = watchPath(folder.path, folder.onChange);
  folder.identity = identity;
}

/** Numbers of folders are given out again. Undefined: there is none, or none that can be looked at. */
function identityOf(path: string): string | undefined {
  let identity: string | undefined;
  ifPossible(() => {
    const stats = ifPresent(() => statSync(path));
    identity = stats && `${stats.ino} ${stats.birthtimeMs}`;
  });
  return identity;
}
