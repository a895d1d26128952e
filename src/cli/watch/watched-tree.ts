import { readdirSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../quietly.ts';
import { watchPath } from '../../store/index.ts';
import { IgnoredFiles } from './ignored-files.ts';

/** A folder with more folders below it than this is no source of a program, and the kernel has few watches. */
const MOST_FOLDERS = 2000;

export interface WatchedTreeOptions {
  readonly folder: string;
  /** A folder that podrun itself writes into. */
  readonly except: string;
  /** Called with the path of each file that has changed, and of files in new folders. */
  readonly onFile: (file: string) => void;
}

/** Follows a folder with its subfolders, without what IgnoredFiles has. */
export class WatchedTree {
  readonly #options: WatchedTreeOptions;
  readonly #ignored: IgnoredFiles;
  readonly #watchers = new Map<string, { close(): void }>();
  #isComplete = true;

  constructor(options: WatchedTreeOptions) {
    this.#options = options;
    this.#ignored = new IgnoredFiles(options.folder);
    this.#follow(options.folder);
  }

  /** False: it has too many folders, and some are not followed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  /** Follows a folder and those below it. Returns the files in them. */
  #follow(folder: string): string[] {
    if (folder === this.#options.except || this.#watchers.has(folder)) return [];
    if (this.#watchers.size >= MOST_FOLDERS) {
      this.#isComplete = false;
      return [];
    }
    // First the watch, then the look: nothing that comes between them is missed.
    this.#watchers.set(
      folder,
      watchPath(folder, (name) => this.#happened(folder, name)),
    );
    const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    const own = entries.filter((entry) => !this.#ignored.has(path.join(folder, entry.name), entry.isDirectory()));
    return own.flatMap((entry) => {
      const place = path.join(folder, entry.name);
      return entry.isDirectory() ? this.#follow(place) : [place];
    });
  }

  #happened(folder: string, name: string | undefined): void {
    if (name === undefined) return;
    const place = path.join(folder, name);
    const isFolder = quietly(() => readdirSync(place)) !== undefined;
    if (this.#ignored.has(place, isFolder)) return;
    if (!isFolder) {
      this.#forget(place);
      return this.#options.onFile(place);
    }
    for (const file of this.#follow(place)) this.#options.onFile(file);
  }

  /** A folder that is gone may come again. */
  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
