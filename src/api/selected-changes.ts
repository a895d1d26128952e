import type { StoredKubeObject, WatchEvent } from './objects.ts';

/**
 * What a watch with a selector shows of the changes of a watch without one, as the API server does it: an object that
 * begins to match is ADDED, one that no longer matches is DELETED. One per watch.
 */
export class SelectedChanges {
  readonly #matches: (object: StoredKubeObject) => boolean;
  readonly #shown = new Set<string>();

  constructor(matches: (object: StoredKubeObject) => boolean) {
    this.#matches = matches;
  }

  /** The change as the watcher sees it; undefined when it does not. */
  select<T extends StoredKubeObject>({ type, object }: WatchEvent<T>): WatchEvent<T> | undefined {
    const { uid } = object.metadata;
    const wasShown = this.#shown.has(uid);
    if (type === 'DELETED' || !this.#matches(object)) {
      this.#shown.delete(uid);
      return wasShown ? { type: 'DELETED', object } : undefined;
    }
    this.#shown.add(uid);
    return { type: wasShown ? 'MODIFIED' : 'ADDED', object };
  }
}
