import { existsSync } from 'node:fs';
import {
  DEFAULT_NAMESPACE,
  type HostPathVolumeSource,
  type KubeObject,
  type StorageStorageClass,
  type StoredClaim,
  type StoredVolume,
} from '../../api/index.ts';
import { localPathMissing, type SchedulerFacts, spreadGroups } from '../../lifecycle/index.ts';
import { type FileStore, folderOfVolume, objectPath, type ObjectReader } from '../../store/index.ts';

/** The data of a claim: a folder that podrun makes, or a path of the host. */
export type ClaimedData = { readonly folder: string } | { readonly hostPath: HostPathVolumeSource };

/**
 * The data of a claim. Undefined: there is no such claim.
 * @throws {Error} with kubelet's words, for a volume that cannot be used
 */
export function claimedData(store: FileStore, namespace: string, name: string): ClaimedData | undefined {
  const claim = claimNamed(store, namespace, name);
  if (claim === undefined) return undefined;
  const volume = volumeOf(store, claim);
  const { hostPath, local } = volume?.spec ?? {};
  // Older versions of podrun gave claims a folder without a PersistentVolume.
  const folder =
    volume === undefined ? objectPath(store.root, 'claims', namespace, name) : folderOfVolume(store.root, volume);
  if (folder !== undefined) return { folder };
  if (hostPath !== undefined) return { hostPath };
  const path = local?.path ?? '';
  if (!existsSync(path)) throw new Error(localPathMissing(path));
  return { hostPath: { path, type: '' } };
}

/** The objects that the scheduler asks for beside Pods and nodes. */
export function schedulingObjects(store: ObjectReader): Required<NonNullable<SchedulerFacts['objects']>> {
  return {
    claim: (namespace, name) => claimNamed(store, namespace, name),
    volume: (name) => store.get<StoredVolume & KubeObject>('persistentvolumes', DEFAULT_NAMESPACE, name),
    volumes: () => store.list<StoredVolume & KubeObject>('persistentvolumes'),
    storageClass: (name) => store.get<StorageStorageClass & KubeObject>('storageclasses', DEFAULT_NAMESPACE, name),
    budgets: () => store.list('poddisruptionbudgets'),
    groupsOf: (pod) => {
      const { namespace } = pod.metadata;
      return spreadGroups(pod, store.list('services', { namespace }), (kind, name) =>
        store.get(`${kind.toLowerCase()}s`, namespace, name),
      );
    },
    namespaceLabels: (name) => store.get('namespaces', DEFAULT_NAMESPACE, name)?.metadata.labels ?? {},
  };
}

function claimNamed(store: ObjectReader, namespace: string, name: string): StoredClaim | undefined {
  return store.get<StoredClaim & KubeObject>('persistentvolumeclaims', namespace, name);
}

function volumeOf(store: ObjectReader, { spec }: StoredClaim): StoredVolume | undefined {
  if (!spec.volumeName) return undefined;
  return store.get<StoredVolume & KubeObject>('persistentvolumes', DEFAULT_NAMESPACE, spec.volumeName);
}
