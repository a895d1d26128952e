import type { StoredKubeObject } from '../../api/objects.ts';

/** A column of a Table, with the cell of an object. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly cell: (object: StoredKubeObject, nowMs: number) => unknown;
}

export const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow ' +
    'a client to request the generation of an appropriate name automatically.',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};
