import { parseJsonPath } from '../../api/json-path/index.ts';
import { ageSince } from '../../print/base/age.ts';
import type { PrinterColumn } from '../../apiserver/resources/served-resource.ts';
import { NAME_COLUMN, type TableColumn } from './table-column.ts';

const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/**
 * The columns of a custom kind.
 * Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go.
 */
export function customColumns(columns: readonly PrinterColumn[]): readonly TableColumn[] {
  return [NAME_COLUMN, ...(columns.length > 0 ? columns : [AGE_COLUMN]).map(customColumn)];
}

function customColumn({ jsonPath, ...column }: PrinterColumn): TableColumn {
  const find = parseJsonPath(jsonPath);
  return {
    ...column,
    cell: (object, nowMs) => {
      const values = find(object);
      const [value] = values;
      if (value === undefined) return null;
      if (column.type === 'date') return typeof value === 'string' ? ageSince(value, nowMs) : '<invalid>';
      if (values.length > 1) return JSON.stringify(values);
      return typeof value === 'object' ? JSON.stringify(value) : value;
    },
  };
}
