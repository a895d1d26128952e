import { splitVersion } from '../../api/index.ts';
import type { ImageRecord, ImageStore } from './image-store.ts';
import { PullRecords } from './pull-records.ts';

/** Content of the store, by its digests. */
export interface SharedContent {
  /** The digests of uncompressed layers. */
  readonly layers: ReadonlySet<string>;
  /** The digests of indexes, manifests and configurations. */
  readonly blobs: ReadonlySet<string>;
}

/**
 * The content that a pull from a repository may take from the store without fetching it: content of images of this
 * repository, whose registry has just admitted the caller, and of images that every Pod may use. To know the digest of
 * anything else is not enough: a registry may name any digest, and its bytes must come from there. containerd has the
 * same rule for namespaces with the policy `isolated`, and takes any present digest with its default, `shared`.
 * @param repository `docker.io/library/nginx`
 */
export function contentForPull(store: ImageStore, repository: string): SharedContent {
  return contentOf(store, (image, isForAll) => isForAll === true || splitVersion(image.name).name === repository);
}

/** The same for an archive: what every Pod may use, images of archives included. */
export function contentForLoad(store: ImageStore): SharedContent {
  return contentOf(store, (image, isForAll) => isForAll ?? !new PullRecords(store).isBegun(image.name));
}

/** @param mayShare gets an image, and whether every Pod may use it; undefined: no pull of it is on record */
function contentOf(
  store: ImageStore,
  mayShare: (image: ImageRecord, isForAll: boolean | undefined) => boolean,
): SharedContent {
  const pulls = new PullRecords(store);
  const images = store.records().filter((image) => {
    const access = pulls.accessOf(image.configDigest);
    const isForAll = access && Object.values(access).some((each) => 'nodePodsAccessible' in each);
    return mayShare(image, isForAll);
  });
  return {
    layers: new Set(images.flatMap(({ diffIds }) => diffIds)),
    blobs: new Set(images.flatMap(({ digest, manifest, configDigest }) => [digest, manifest, configDigest])),
  };
}
