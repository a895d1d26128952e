import { resourceTypeOf } from '../api/index.ts';
import type { FileStore } from '../store/index.ts';

/** Names a stored workload. */
export interface WorkloadKey {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** True when a process that is not gone owns the workload. */
export function hasLiveController(store: FileStore, { apiVersion, kind, namespace, name }: WorkloadKey): boolean {
  return store.owners.isOwned(namespace, name, resourceTypeOf({ apiVersion, kind }).plural);
}
