import { type ContainerImage, DEFAULT_NAMESPACE, fullImageName, splitVersion } from '../../api/index.ts';
import type { PresentImage } from '../../lifecycle/index.ts';
import type { ObjectReader, Store } from '../../store/index.ts';
import { hasKubelet, type NodeRecord, nodeRecord } from './node-record.ts';

/** True for an image that a node has: all that are here, but for declared nodes, which list theirs. */
export function hasImage(store: ObjectReader, nodeName: string, { name }: Pick<PresentImage, 'name'>): boolean {
  const node = nodeRecord(store, nodeName);
  if (node === undefined || !hasKubelet(node)) return true;
  return (node.status?.images ?? []).some((image) => isNamed(image, name));
}

/**
 * Lists an image among the images of a declared node.
 * @throws {PodrunError} when the store cannot be written to
 */
export function listImage(store: Store, nodeName: string, image: PresentImage): void {
  if (hasImage(store, nodeName, image)) return;
  const names = [`${splitVersion(image.name).name}@${image.digest}`, image.name];
  const key = { namespace: DEFAULT_NAMESPACE, name: nodeName };
  store.change<NodeRecord>('nodes', key, 'status', ({ status, ...node }) => ({
    ...node,
    status: { ...status, images: [...(status?.images ?? []), { names, sizeBytes: image.size }] },
  }));
}

function isNamed({ names = [] }: ContainerImage, name: string): boolean {
  return names.some((listed) => fullImageName(listed) === name);
}
