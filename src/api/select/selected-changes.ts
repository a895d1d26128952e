import type { StoredKubeObject, WatchEvent } from '../base/objects.ts';

/**
 * Filters the changes of a watch by a selector, as the API server does: an object that begins to match is ADDED, an
 * object that no longer matches is DELETED. One instance per watch.
 */
export class SelectedChanges {
  readonly #matches: (object: StoredKubeObject) => boolean;
  readonly #selected = new Set<string>();

  constructor(matches: (object: StoredKubeObject) => boolean) {
    this.#matches = matches;
  }

  /** The change for the watcher. Undefined: the watcher does not see it. */
  select<T extends StoredKubeObject>({ type, object }: WatchEvent<T>): WatchEvent<T> | undefined {
    const { uid } = object.metadata;
    const wasSelected = this.#selected.has(uid);
    if (type === 'DELETED' || !this.#matches(object)) {
      this.#selected.delete(uid);
      return wasSelected ? { type: 'DELETED', object } : undefined;
    }
    this.#selected.add(uid);
    return { type: wasSelected ? 'MODIFIED' : 'ADDED', object };
  }
}
