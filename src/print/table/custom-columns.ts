import { type DefinitionColumn, parseJsonPath } from '../../api/index.ts';
import { ageSince } from '../base/age.ts';
import { AGE, NAME } from './common-columns.ts';
import type { Column, TableObject } from './table-printer.ts';

/**
 * The value of a cell of an object of a custom kind. Null: it has no such field.
 * Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go.
 * @param isTyped true: the cell of a time is the time, not an age
 */
export function customCell(
  { jsonPath, type }: DefinitionColumn,
  isTyped: boolean,
): (object: object, nowMs: number) => string | number | boolean | null {
  const find = parseJsonPath(jsonPath);
  return (object, nowMs) => {
    const values = find(object);
    const [value] = values;
    if (value === undefined) return null;
    if (type === 'date' && !isTyped) return typeof value === 'string' ? ageSince(value, nowMs) : '<invalid>';
    if (values.length > 1) return JSON.stringify(values);
    return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean);
  };
}

/** The columns of `get` for a custom kind, as kubectl prints them. */
export function columnsOfDefinition(columns: readonly DefinitionColumn[]): readonly Column<TableObject>[] {
  if (columns.length === 0) return [NAME, AGE];
  const own = columns.map((column) => {
    const cell = customCell(column, false);
    return {
      heading: column.name.toUpperCase(),
      wide: (column.priority ?? 0) > 0,
      cell: (object: TableObject, nowMs: number) => `${cell(object, nowMs) ?? ''}`,
    };
  });
  return [NAME, ...own];
}
