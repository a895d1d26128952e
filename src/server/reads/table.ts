import { type KubeObject, parseJsonPath, type StoredKubeObject } from '../../api/index.ts';
import { ageSince, type Column, columnsOf, type TableObject } from '../../print/index.ts';
import type { PrinterColumn, ServedResource } from '../../apiserver/index.ts';

/** A column of a Table, with the cell of an object. */
interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly cell: (object: StoredKubeObject, nowMs: number) => unknown;
}

const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow ' +
    'a client to request the generation of an appropriate name automatically.',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};

const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** The parts of a Table beside its rows. */
export interface RowOptions {
  /** `meta.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly metadata: object;
  /** The part of each object that goes with its row. */
  readonly include: 'None' | 'Metadata' | 'Object';
  readonly nowMs: number;
  /** False: the columns are known from an earlier Table of the watch. */
  readonly hasColumns?: boolean;
}

/** The rows of objects, as `kubectl get` prints them. Source: apimachinery/pkg/apis/meta/v1/types.go, Table. */
export function tableOf(resource: ServedResource, objects: readonly StoredKubeObject[], options: RowOptions): object {
  const columns = tableColumns(resource);
  const { apiVersion, metadata, include, nowMs, hasColumns = true } = options;
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: hasColumns
      ? columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, nowMs)),
      ...conditionsOf(object),
      ...(include !== 'None' && { object: include === 'Object' ? object : metadataOnly(object, apiVersion) }),
    })),
  };
}

/** The metadata of an object alone. */
export function metadataOnly({ metadata }: KubeObject, apiVersion = 'meta.k8s.io/v1'): object {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}

/** Kinds whose Table has the time of their creation instead of their age: the API server has no printer for them. */
const WITHOUT_PRINTER: ReadonlySet<string> = new Set(['clusterroles', 'limitranges', 'roles']);

function tableColumns(resource: ServedResource): readonly TableColumn[] {
  if (resource.custom !== undefined) return customColumns(resource.custom.columns);
  if (!WITHOUT_PRINTER.has(resource.plural)) return columnsOf(resource.storage).map(asTableColumn);
  return [
    NAME_COLUMN,
    { ...NAME_COLUMN, name: 'Created At', format: '', cell: ({ metadata }) => metadata.creationTimestamp },
  ];
}

function asTableColumn(column: Column<TableObject>): TableColumn {
  const { heading, wide } = column;
  if (heading === 'NAME') return wide === true ? { ...NAME_COLUMN, priority: 1 } : NAME_COLUMN;
  return {
    name: titleOf(heading),
    type: 'string',
    format: '',
    description: '',
    priority: wide === true ? 1 : 0,
    cell: (object, nowMs) => column.cell(object, nowMs),
  };
}

/** Words that are not written like names. */
const SPELLINGS: Readonly<Record<string, string>> = { IP: 'IP', 'INTERNAL-IP': 'Internal-IP' };

/** `NOMINATED NODE` as the API server writes it. kubectl writes it in upper case again. */
function titleOf(heading: string): string {
  return SPELLINGS[heading] ?? heading.toLowerCase().replaceAll(/(^|[ (-])([a-z])/g, (all) => all.toUpperCase());
}

/** Source: pkg/printers/internalversion/printers.go, podSuccessConditions and podFailedConditions. */
function conditionsOf({ kind, status }: StoredKubeObject): { readonly conditions?: readonly object[] } {
  const phase = kind === 'Pod' ? (status as { phase?: string } | undefined)?.phase : undefined;
  const completed = { type: 'Completed', status: 'True' };
  if (phase === 'Succeeded')
    return { conditions: [{ ...completed, reason: phase, message: 'The pod has completed successfully.' }] };
  if (phase === 'Failed') return { conditions: [{ ...completed, reason: phase, message: 'The pod failed.' }] };
  return {};
}

/**
 * The columns of a custom kind.
 * Source: apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go.
 */
function customColumns(columns: readonly PrinterColumn[]): readonly TableColumn[] {
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
