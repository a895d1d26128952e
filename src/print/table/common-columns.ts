import {
  canonicalQuantity,
  type Container,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '../../api/index.ts';
import { ageSince } from '../base/age.ts';
import type { Column, TableObject } from './table-printer.ts';

export const NAME: Column<TableObject> = { heading: 'NAME', cell: ({ metadata }) => metadata.name };

export const AGE: Column<TableObject> = {
  heading: 'AGE',
  cell: ({ metadata }, nowMs) => ageSince(metadata.creationTimestamp, nowMs),
};

/** The columns of kinds for which the API server has no printer. */
export const NAME_AND_CREATION: readonly Column<TableObject>[] = [
  NAME,
  { heading: 'CREATED AT', cell: ({ metadata }) => metadata.creationTimestamp.replace(/\.\d+/, '') },
];

/** The wide columns CONTAINERS and IMAGES, given the containers of an object. */
export function containerColumns<T extends TableObject>(
  containersOf: (object: T) => readonly Container[] | undefined,
): readonly Column<T>[] {
  const list = (object: T, text: (container: Container) => string | undefined): string =>
    (containersOf(object) ?? []).map((container) => text(container) ?? '').join(',');
  return [
    { heading: 'CONTAINERS', wide: true, cell: (object) => list(object, ({ name }) => name) },
    { heading: 'IMAGES', wide: true, cell: (object) => list(object, ({ image }) => image) },
  ];
}

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
