import type {
  ImageAccess,
  KeyringEntry,
  LayerKind,
  PresentImage,
  PullOutcome,
  PullProgress,
  PullRequest,
} from '../../lifecycle/index.ts';
import type { ImageLayers } from '../../runtime/index.ts';

/** The images of this machine, and the way to pull more. */
export interface ImageSupply {
  /** Undefined: the image is not here. @param name the full name */
  find(name: string): PresentImage | undefined;
  /** Keeps an image for a user such as `pod/web`, until `release`. Undefined: it is not here. */
  hold(name: string, user: string): { readonly image: PresentImage; readonly release: () => void } | undefined;
  /** The place of its layers. */
  layersOf(image: PresentImage): ImageLayers;
  /** Rejects when this user cannot unpack layers. */
  kind(): Promise<LayerKind>;
  /** Never rejects for what a registry does. */
  pull(
    request: PullRequest,
    options: { readonly signal: AbortSignal; readonly onProgress: (progress: PullProgress) => void },
  ): Promise<PullOutcome>;
  /** The keyrings of podrun's user, and of credential providers, for a repository. */
  userKeyrings(repository: string): Promise<(readonly KeyringEntry[])[]>;
  /** Runs work when its turn has come: see `parallelPulls`. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Notes a start from the image. */
  used(image: PresentImage): void;
  /** Removes unused images, as the settings say. */
  collect(): Promise<void>;
  readonly records: PullRecordsOf;
}

/** The records of who may use images. */
export interface PullRecordsOf {
  accessOf(configDigest: string): ImageAccess | undefined;
  setAccess(configDigest: string, access: ImageAccess, at: string): void;
  begin(name: string): (end: 'known' | 'failed') => void;
  isBegun(name: string): boolean;
}
