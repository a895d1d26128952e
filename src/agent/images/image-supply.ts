import type { KeyringEntry } from '../../lifecycle/images/keyring.ts';
import type { LayerKind, PresentImage, PullOutcome, PullRequest } from '../../lifecycle/images/types.ts';
import type { LaunchImage } from './container-images.ts';

/** The images of this machine, and the way to get others. */
export interface ImageSupply {
  /** Undefined: the image is not here. @param name the full name */
  find(name: string): PresentImage | undefined;
  /** The place of its layers. */
  layersOf(image: PresentImage): Pick<LaunchImage['root'], 'folder' | 'layers'>;
  /** Rejects when this user cannot unpack layers. */
  kind(): Promise<LayerKind>;
  /** Never rejects for what a registry does. */
  pull(request: PullRequest, signal: AbortSignal): Promise<PullOutcome>;
  /** The keyrings of podrun's user for a repository. */
  userKeyrings(repository: string): Promise<KeyringEntry[][]>;
  /** Runs work when its turn has come: see `parallelPulls`. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Keeps the image as long as this process lives, and notes the time of its use. */
  used(image: PresentImage): void;
}
