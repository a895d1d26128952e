import type { StoredPod } from '../../api/index.ts';
import type { ImageLayers } from '../../runtime/index.ts';

interface HeldImage {
  /** The full name. */
  readonly name: string;
  readonly layers: ImageLayers;
  readonly release: () => void;
}

/** The images that Pods use and that must not be removed. */
export class HeldImages {
  /** By uid of the Pod. */
  readonly #held = new Map<string, readonly HeldImage[]>();

  add({ metadata: { uid } }: StoredPod, image: HeldImage): void {
    const held = this.#held.get(uid) ?? [];
    const known = held.find(({ name, layers }) => name === image.name && layers.folder === image.layers.folder);
    // A tag may stand for another image than before, which running containers still have.
    if (known === undefined) this.#held.set(uid, [...held, image]);
    else image.release();
  }

  /** The layers of the newest image of a name. Undefined: the Pod holds none. */
  layersOf({ metadata: { uid } }: StoredPod, wanted: string): ImageLayers | undefined {
    return this.#held.get(uid)?.findLast(({ name }) => name === wanted)?.layers;
  }

  release({ metadata: { uid } }: StoredPod): void {
    for (const { release } of this.#held.get(uid) ?? []) release();
    this.#held.delete(uid);
  }
}
