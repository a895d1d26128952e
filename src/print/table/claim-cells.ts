import { canonicalQuantity, type PersistentVolume, type PersistentVolumeClaim } from '../../api/index.ts';

const SHORT: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Access modes in kubectl's short form and order: `RWO,RWX`. */
export function accessModeText(modes: readonly string[] = []): string {
  return Object.entries(SHORT)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The capacity of a claim, in the shortest form. Empty while it has no volume. */
export function claimCapacity({ spec, status }: PersistentVolumeClaim): string {
  return spec?.volumeName ? canonicalQuantity(status?.capacity?.['storage'] ?? 0) : '';
}

/** The access modes of a claim. Empty while it has no volume. */
export function claimModes({ spec, status }: PersistentVolumeClaim): string {
  return spec?.volumeName ? accessModeText(status?.accessModes) : '';
}

/** The storage class of a claim or volume. The old annotation wins over the field. */
export function claimClass({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}
