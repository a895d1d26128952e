import { type FSWatcher, watch } from 'node:fs';
import { makeFolder, namesIn } from './atomic-file.ts';
import { ifPossible } from './disk-errors.ts';
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

/**
 * Watches the folders of a resource for entries that come, change or go: one namespace or all, also such as come
 * later.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #resource: Resource;
  readonly #onEntry: (key: ObjectKey) => void;
  readonly #watchers = new Map<string, { close(): void }>();
  /** Watched for new namespaces. */
  #all: { close(): void } | undefined;

  constructor(root: string, resource: Resource, onEntry: (key: ObjectKey) => void) {
    this.#root = root;
    this.#resource = resource;
    this.#onEntry = onEntry;
  }

  /** Watches a namespace, or all of them, from now on. */
  add(namespace: string | undefined): void {
    if (namespace !== undefined) return this.#addNamespace(namespace);
    const folder = resourceFolder(this.#root, this.#resource);
    if (this.#all === undefined) {
      ifPossible(() => makeFolder(folder));
      this.#all = watchPath(folder, () => this.rescan());
    }
    for (const each of namesIn(folder)) this.#addNamespace(each);
  }

  /** Tells of everything that is there, whether it changed or not. */
  rescan(): void {
    if (this.#all !== undefined) this.add(undefined);
    for (const namespace of this.#watchers.keys()) {
      for (const key of keysIn(this.#root, this.#resource, { namespace })) this.#onEntry(key);
    }
  }

  close(): void {
    this.#all?.close();
    this.#all = undefined;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #addNamespace(namespace: string): void {
    if (this.#watchers.has(namespace)) return;
    const folder = namespaceFolder(this.#root, this.#resource, namespace);
    // It must exist to be watched. A reader may not be able to make it: then looking from time to time has to do.
    ifPossible(() => makeFolder(folder));
    const watcher = watchPath(folder, (name) => {
      if (name === undefined) this.rescan();
      else if (!name.startsWith('.')) this.#onEntry({ namespace, name });
    });
    this.#watchers.set(namespace, watcher);
  }
}
