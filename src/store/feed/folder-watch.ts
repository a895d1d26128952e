import { type FSWatcher, statSync, watch } from 'node:fs';
import { guarded } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { makeFolder, namesIn } from '../disk/atomic-file.ts';
import { ifPossible } from '../disk/disk-errors.ts';
import { namespaceFolder, resourceFolder } from '../base/layout.ts';
import { keysIn } from '../disk/listing.ts';
import type { ObjectKey } from '../base/store.ts';
import type { Resource } from '../base/store.ts';

/**
 * Calls back for each change at a path that the file system reports. Network file systems, or too many watches, report
 * nothing: callers look again from time to time anyway, also at what they cannot read at the moment.
 */
export function watchPath(path: string, onChange: (entry: string | undefined) => void): { close(): void } {
  let watcher: FSWatcher;
  try {
    watcher = guarded(
      watch(path, (_, entry) => ifPossible(() => onChange(entry ?? undefined))),
      { ends: false },
    );
  } catch {
    return { close: () => {} };
  }
  watcher.on('error', () => watcher.close());
  return watcher;
}

/** One watched folder, identified by its inode: another folder may replace it. */
interface WatchedFolder {
  readonly path: string;
  readonly onChange: (entry: string | undefined) => void;
  /** The identity of the watched folder. Undefined: there was no folder. */
  identity: string | undefined;
  /** The times of its last change as the last two looks saw them, the latest first. Empty: it was not read. */
  looks: readonly string[];
  watcher: { close(): void };
}

/**
 * Watches the folders of a resource for entries that appear, change or disappear: in one namespace, or in all, also in
 * namespaces that appear later.
 */
export class FolderWatch {
  readonly #root: string;
  readonly #resource: Resource;
  readonly #onEntry: (key: ObjectKey) => void;
  /** By namespace. */
  readonly #watched = new Map<string, WatchedFolder>();
  /** The folder of the resource, watched for new namespaces. */
  #all: WatchedFolder | undefined;

  constructor(root: string, resource: Resource, onEntry: (key: ObjectKey) => void) {
    this.#root = root;
    this.#resource = resource;
    this.#onEntry = onEntry;
  }

  /** Begins to watch one namespace, or all. */
  add(namespace: string | undefined): void {
    if (namespace !== undefined) return this.#addNamespace(namespace);
    const folder = resourceFolder(this.#root, this.#resource);
    this.#all ??= watched(folder, () => this.rescan());
    for (const each of namesIn(folder)) this.#addNamespace(each);
  }

  /**
   * Calls back for every entry, changed or not, of the folders that have changed since the look before the last one:
   * two changes in one tick of the clock of the file system look like one. Returns their namespaces.
   */
  rescan(onEntry: (key: ObjectKey) => void = this.#onEntry): readonly string[] {
    if (this.#all !== undefined) lookAt(this.#all, () => this.add(undefined));
    const unsettled: string[] = [];
    for (const [namespace, folder] of this.#watched) {
      lookAt(folder, () => {
        unsettled.push(namespace);
        for (const key of keysIn(this.#root, this.#resource, { namespace })) onEntry(key);
      });
    }
    return unsettled;
  }

  /** Lets the next rescan read every folder: an entry of one could not be read. */
  unsettle(): void {
    for (const folder of [this.#all, ...this.#watched.values()]) if (folder !== undefined) folder.looks = [];
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
      if (name === undefined) {
        this.unsettle();
        this.rescan();
      }
      if (name?.startsWith('.') === false) this.#onEntry({ namespace, name });
    };
    this.#watched.set(namespace, watched(namespaceFolder(this.#root, this.#resource, namespace), onChange));
  }
}

function watched(path: string, onChange: WatchedFolder['onChange']): WatchedFolder {
  // Only an existing folder can be watched. A reader that may not make it looks from time to time instead.
  ifPossible(() => makeFolder(path));
  return { path, onChange, identity: stateOf(path).identity, looks: [], watcher: watchPath(path, onChange) };
}

/**
 * Reads a folder that has changed since the look before the last one. Watches the present folder, when another one has
 * replaced the watched one. One call of the file system for a folder at rest.
 */
function lookAt(folder: WatchedFolder, read: () => void): void {
  const { identity, changedAt } = stateOf(folder.path);
  if (identity !== folder.identity) {
    folder.watcher.close();
    folder.watcher = watchPath(folder.path, folder.onChange);
    folder.identity = identity;
    folder.looks = [];
  }
  const { looks } = folder;
  if (looks.length === 2 && looks.every((look) => look === changedAt)) return;
  folder.looks = [];
  ifPossible(() => {
    read();
    folder.looks = changedAt === undefined ? [] : [changedAt, ...looks].slice(0, 2);
  });
}

/**
 * Inode and birth time, since inodes are reused, and the time at which an entry last came, went or was replaced.
 * Undefined when there is no folder, or no permission to look at it.
 */
function stateOf(path: string): { readonly identity: string | undefined; readonly changedAt: string | undefined } {
  const stats = quietly(() => statSync(path, { bigint: true }));
  return { identity: stats && `${stats.ino} ${stats.birthtimeNs}`, changedAt: stats && String(stats.mtimeNs) };
}
