import type { PersistentVolume } from '../generated/types.ts';

/** The finalizers that keep volumes, claims and classes while they are in use. Source: pkg/volume/util/finalizer.go. */
export const PROTECTION: Readonly<Record<string, string>> = {
  PersistentVolume: 'kubernetes.io/pv-protection',
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
  VolumeAttributesClass: 'kubernetes.io/vac-protection',
};

/** The provisioner of a volume. Source: component-helpers/storage/volume/pv_helpers.go. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const PROVISIONER = 'podrun/folder';

/** True for a volume that podrun has made for a claim: a folder of the state folder, whatever its path says. */
export function isProvisioned({ metadata }: PersistentVolume): boolean {
  return metadata?.annotations?.[PROVISIONED_BY] === PROVISIONER;
}
