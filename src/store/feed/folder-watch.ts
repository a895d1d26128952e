import { type FSWatcher, statSync, watch } from 'node:fs';
import { quietly } from '../../quietly.ts';
import { makeFolder, namesIn } from '../disk/atomic-file.ts';
import { ifPossible, ifPresent } from '../disk/disk-errors.ts';
import { namespaceFolder, resourceFolder } from '../layout.ts';
import { keysIn } from '../records/listing.ts';
import type { ObjectKey } from '../store.ts';
import type { Resource } from '../store.ts';

/**
 * Calls back for each change at a path that the file system reports. Network file systems, or too many watches, report
 * nothing: callers look again from time to time anyway, also at what they cannot read at the moment.
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
 * Watches the folders of a resource for entries that appear, change or disappear: in one namespace, or in all, those
 * that appear later included.
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
   * two changes in one tick of the clock of the file system look like one. Answers their namespaces.
   */
  rescan(): readonly string[] {
    if (this.#all !== undefined) {
      renew(this.#all);
      this.add(undefined);
    }
    const unsettled: string[] = [];
    for (const [namespace, folder] of this.#watched) {
      renew(folder);
      const { looks } = folder;
      const now = lastChangeOf(folder.path);
      if (looks.length === 2 && looks.every((look) => look === now)) continue;
      unsettled.push(namespace);
      folder.looks = [];
      ifPossible(() => {
        for (const key of keysIn(this.#root, this.#resource, { namespace })) this.#onEntry(key);
        folder.looks = now === undefined ? [] : [now, ...looks].slice(0, 2);
      });
    }
    return unsettled;
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
        for (const folder of this.#watched.values()) folder.looks = [];
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
  return { path, onChange, identity: identityOf(path), looks: [], watcher: watchPath(path, onChange) };
}

/** Watches the present folder, when another one has replaced the watched one. */
function renew(folder: WatchedFolder): void {
  const identity = identityOf(folder.path);
  if (identity === folder.identity) return;
  folder.watcher.close();
  folder.watcher = watchPath(folder.path, folder.onChange);
  folder.identity = identity;
  folder.looks = [];
}

/** The time at which an entry of a folder last came, went or was replaced. Undefined: it cannot be looked at. */
function lastChangeOf(path: string): string | undefined {
  return quietly(() => String(statSync(path, { bigint: true }).mtimeNs));
}

/** Inode and birth time, since inodes are reused. Undefined when there is no folder, or no permission to look at it. */
function identityOf(path: string): string | undefined {
  let identity: string | undefined;
  ifPossible(() => {
    const stats = ifPresent(() => statSync(path));
    identity = stats && `${stats.ino} ${stats.birthtimeMs}`;
  });
  return identity;
}
