import type { KubeObject, StoredKubeObject } from '../../api/objects.ts';
import { columnsOf } from '../../print/table/resource-columns.ts';
import type { Column, TableObject } from '../../print/table/table-printer.ts';
import type { ServedResource } from '../../apiserver/resources/served-resource.ts';
import { customColumns } from './custom-columns.ts';
import { NAME_COLUMN, type TableColumn } from './table-column.ts';

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
