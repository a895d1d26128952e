import { isJsonObject, type KubeObject, usage } from '../api/index.ts';
import { type ImageMap, mappingOf } from '../lifecycle/index.ts';

const CONTAINER_LISTS: ReadonlySet<string> = new Set(['containers', 'initContainers', 'ephemeralContainers']);

/**
 * Returns what makes an object with the images that it has on a cluster, and throws a PodrunError (usage) when an image
 * is a program of this machine and nothing replaces it.
 * @param images what stands for images on this machine: a cluster has none of it
 * @param replaced the values of --on-cluster-image: `NAME=REFERENCE`
 */
export function clusterImages(images: ImageMap, replaced: readonly string[]): (object: KubeObject) => KubeObject {
  const references = new Map(replaced.map(parseReplacement));
  const onCluster = (image: string): string => {
    const reference = references.get(image);
    if (reference !== undefined) return reference;
    if (mappingOf(image, images) === undefined) return image;
    throw usage(
      `image "${image}" is a program of this machine (podrun.yaml): a cluster cannot run it`,
      `Push it to a registry, and name it with --on-cluster-image ${image}=REFERENCE.`,
    );
  };
  return (object) => withImages(object, onCluster) as KubeObject;
}

function parseReplacement(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0 && equals < text.length - 1) return [text.slice(0, equals), text.slice(equals + 1)];
  throw usage(`invalid --on-cluster-image ${JSON.stringify(text)}`, 'Write it as NAME=REFERENCE.');
}

/** Replaces the images of all containers in a value. */
function withImages(value: unknown, onCluster: (image: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withImages(item, onCluster));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (!CONTAINER_LISTS.has(key) || !Array.isArray(inner)) return [key, withImages(inner, onCluster)];
      return [key, inner.map((container: unknown) => withImage(container, onCluster))];
    }),
  );
}

function withImage(container: unknown, onCluster: (image: string) => string): unknown {
  if (!isJsonObject(container) || typeof container['image'] !== 'string') return container;
  return { ...container, image: onCluster(container['image']) };
}
