import type { Container } from '../../api/index.ts';
import { ageSince } from '../base/age.ts';
import type { Column, TableObject } from './table-printer.ts';

export const NAME: Column<TableObject> = { heading: 'NAME', cell: ({ metadata }) => metadata.name };

export const AGE: Column<TableObject> = {
  heading: 'AGE',
  cell: ({ metadata }, nowMs) => ageSince(metadata.creationTimestamp, nowMs),
};

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
