import { DEFAULT_NAMESPACE, type KubeObject } from '../../api/objects.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ObjectReader } from '../../store/store.ts';

/** True for a node that takes no new Pods. The store keeps a node only for this. */
export function isCordoned(store: ObjectReader, nodeName: string): boolean {
  return store.get('nodes', DEFAULT_NAMESPACE, nodeName) !== undefined;
}

/** Lets the node take new Pods, or not. Answers false when nothing changes. */
export function setCordoned(store: FileStore, nodeName: string, wanted: boolean): boolean {
  if (isCordoned(store, nodeName) === wanted) return false;
  const metadata: KubeObject['metadata'] = { name: nodeName, namespace: DEFAULT_NAMESPACE };
  if (wanted) store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable: true } });
  else store.delete('nodes', DEFAULT_NAMESPACE, nodeName);
  return true;
}
