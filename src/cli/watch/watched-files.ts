import { statSync, watch } from 'node:fs';
import path from 'node:path';
import { guarded } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { quietly } from '../../quietly.ts';
import { watchPath } from '../../store/index.ts';
import { WatchedTree } from './watched-tree.ts';

/** Editors and builds write in several steps: the files are looked at when nothing has happened for this long. */
const QUIET_MS = 200;

/** The places that a run follows. */
export interface WatchedPlaces {
  /** The paths of files, and of folders of files. */
  readonly places: readonly string[];
  /** True: with their subfolders. */
  readonly recursive: boolean;
}

/**
 * Follows files: calls back with the paths of the changed files, once nothing has changed for a moment. A file is
 * followed through its folder, since editors replace files.
 */
export class WatchedFiles {
  readonly #clock: Clock;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #watchers = new Map<string, { close(): void }>();
  readonly #trees = new Map<string, WatchedTree>();
  /** The followed files, and the followed folders with a slash at their end. */
  #wanted: ReadonlySet<string> = new Set();
  readonly #changed = new Set<string>();
  #alarm: Alarm | undefined;

  constructor(clock: Clock, onChange: (files: readonly string[]) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Follows these places from now on, beside those before. */
  follow({ places, recursive }: WatchedPlaces): void {
    const wanted = new Set(this.#wanted);
    for (const place of places) {
      const isFolder = quietly(() => statSync(place).isDirectory()) === true;
      wanted.add(isFolder ? `${place}/` : place);
      const folder = isFolder ? place : path.dirname(place);
      const isDeep = isFolder && recursive;
      const key = `${folder}${isDeep ? '/**' : ''}`;
      if (this.#watchers.has(key)) continue;
      const onEntry = (entry: string | undefined): void => this.#happened(folder, entry ?? '');
      this.#watchers.set(key, isDeep ? watchDeep(folder, onEntry) : watchPath(folder, onEntry));
    }
    this.#wanted = wanted;
  }

  /**
   * Follows a folder of sources with its subfolders, or a file.
   * @param except a folder that podrun itself writes into
   * @param counts false for a file whose changes do not matter
   * @returns false when the folder has more subfolders than podrun follows
   */
  followSources(
    place: string,
    { except, counts }: { readonly except: string; readonly counts: (file: string) => boolean },
  ): boolean {
    if (quietly(() => statSync(place).isDirectory()) !== true) {
      this.follow({ places: [place], recursive: false });
      return true;
    }
    const tree =
      this.#trees.get(place) ??
      new WatchedTree({ folder: place, except, onFile: (file) => counts(file) && this.#hasChanged(file) });
    this.#trees.set(place, tree);
    return tree.isComplete;
  }

  close(): void {
    this.#alarm?.cancel();
    for (const tree of this.#trees.values()) tree.close();
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #happened(folder: string, entry: string): void {
    const file = path.join(folder, entry);
    if (this.#isWanted(file)) this.#hasChanged(file);
  }

  #hasChanged(file: string): void {
    this.#changed.add(file);
    this.#alarm?.cancel();
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + QUIET_MS, () => {
      const files = [...this.#changed];
      this.#changed.clear();
      this.#onChange(files);
    });
  }

  #isWanted(file: string): boolean {
    if (this.#wanted.has(file)) return true;
    return [...this.#wanted].some((each) => each.endsWith('/') && file.startsWith(each));
  }
}

function watchDeep(folder: string, onEntry: (entry: string | undefined) => void): { close(): void } {
  const watcher = quietly(() =>
    guarded(
      watch(folder, { recursive: true }, (_, entry) => onEntry(entry ?? undefined)),
      { ends: false },
    ),
  );
  watcher?.on('error', () => watcher.close());
  return watcher ?? { close: () => undefined };
}
