import type { Container, StoredPod } from '../../api/index.ts';
import type { ImageRunConfig } from '../../lifecycle/index.ts';
import type { FileOwners, ImageRoot } from '../../runtime/index.ts';

/** The image from which a container runs. */
export interface LaunchImage {
  readonly config: ImageRunConfig;
  readonly root: ImageRoot;
}

/** The images of this machine, for the containers that run from them. */
export interface ContainerImages {
  /** True when the container runs from its image, false when it runs a program of this machine. */
  isImage(pod: StoredPod, container: Container): boolean;
  /** True when a container of the Pod runs from an image, or a volume shows one. */
  isNeeded(pod: StoredPod): boolean;
  /** The owners of the files of images here. */
  owners(): FileOwners;
  /**
   * The image of a container that runs from it.
   * @throws {Error} when the image is not on this machine any more, or cannot be the root of a container here
   */
  imageOf(pod: StoredPod, container: Container): Promise<LaunchImage>;
}
