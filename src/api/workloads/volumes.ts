import type { PersistentVolume, StorageStorageClass } from '../generated/types.ts';

/** The finalizers that keep volumes, claims and classes while they are in use. Source: pkg/volume/util/finalizer.go. */
export const PROTECTION: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
  VolumeAttributesClass: 'kubernetes.io/vac-protection',
};

/** The provisioner of a volume. Source: component-helpers/storage/volume/pv_helpers.go. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const PROVISIONER = 'podrun/folder';

/** The provisioner of classes whose volumes a person makes. Source: pkg/controller/volume/persistentvolume. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** False for a class whose volumes a person makes. */
export function makesVolumes({ provisioner }: Pick<StorageStorageClass, 'provisioner'>): boolean {
  return provisioner !== NO_PROVISIONER;
}

/** The node for which the scheduler wants a new volume. Source: component-helpers/storage/volume/pv_helpers.go. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** True for a class whose claims get their volume when their first Pod is placed. */
export function waitsForPod({ volumeBindingMode }: Pick<StorageStorageClass, 'volumeBindingMode'>): boolean {
  return volumeBindingMode === 'WaitForFirstConsumer';
}

/** True for a volume that podrun has made for a claim: a folder of the state folder, whatever its path says. */
export function isProvisioned({ metadata }: PersistentVolume): boolean {
  return metadata?.annotations?.[PROVISIONED_BY] === PROVISIONER;
}
