import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import { type Column, columnsOf, customCell, type TableObject } from '../../print/index.ts';
import { columnDescription } from './column-descriptions.ts';
import { inStoredForm, type PrinterColumn, type ServedResource } from '../../apiserver/index.ts';

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
    'a client to request the generation of an appropriate name automatically. Name is primarily intended for ' +
    'creation idempotence and configuration definition. Cannot be updated. More info: ' +
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
};

const AGE_DESCRIPTION =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not ' +
  'guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is ' +
  'represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ' +
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

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
  /** `descriptions.json` beside the built program. */
  readonly descriptionsFile: string;
  /** False: the columns are known from an earlier Table of the watch. */
  readonly hasColumns?: boolean;
}

/** The rows of objects, as `kubectl get` prints them. Source: apimachinery/pkg/apis/meta/v1/types.go, Table. */
export function tableOf(resource: ServedResource, objects: readonly StoredKubeObject[], options: RowOptions): object {
  const columns = tableColumns(resource);
  const { apiVersion, metadata, include, nowMs, descriptionsFile, hasColumns = true } = options;
  const isDescribed = resource.custom === undefined;
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: hasColumns
      ? definedColumns(resource, columns).map(({ name, type, format, description, priority }) => ({
          name,
          type,
          format,
          description:
            description === '' && isDescribed
              ? columnDescription(resource.plural, name, descriptionsFile)
              : description,
          priority,
        }))
      : null,
    rows: objects.map((object) => ({
      // Columns know the stored form of an object alone.
      cells: columns.map(({ cell }) => cell(inStoredForm(resource, object), nowMs)),
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
const WITHOUT_PRINTER: ReadonlySet<string> = new Set(['clusterroles', 'csistoragecapacities', 'limitranges', 'roles']);

/** The API server gives the age of an IPAddress without a column for it. Source: printers.go, ipAddressColumns. */
function definedColumns({ plural }: ServedResource, columns: readonly TableColumn[]): readonly TableColumn[] {
  return plural === 'ipaddresses' ? columns.slice(0, -1) : columns;
}

function tableColumns(resource: ServedResource): readonly TableColumn[] {
  if (resource.custom !== undefined) return customColumns(resource.custom);
  // A kind of metrics has the name of another one.
  const columns = resource.storage === '' && resource.group === '' ? resource.plural : resource.storage;
  if (!WITHOUT_PRINTER.has(resource.plural)) return columnsOf(columns).map(asTableColumn);
  return [
    NAME_COLUMN,
    {
      ...NAME_COLUMN,
      name: 'Created At',
      type: 'date',
      format: '',
      description: AGE_DESCRIPTION,
      cell: ({ metadata }) => metadata.creationTimestamp,
    },
  ];
}

function asTableColumn(column: Column<TableObject>): TableColumn {
  const { heading, wide, type = 'string', isRaw = false } = column;
  if (heading === 'NAME') return wide === true ? { ...NAME_COLUMN, priority: 1 } : NAME_COLUMN;
  return {
    name: titleOf(heading),
    type,
    // The name of a driver is a name, too.
    format: heading === 'ATTACHER' ? 'name' : '',
    description: heading === 'AGE' ? AGE_DESCRIPTION : '',
    priority: wide === true ? 1 : 0,
    cell: (object, nowMs) => (isRaw ? rawCell(column.cell(object, nowMs)) : column.cell(object, nowMs)),
  };
}

/** The number or the flag that a text shows, or the text: `<none>`. */
function rawCell(text: string): unknown {
  return /^(?:-?\d+|true|false)$/.test(text) ? JSON.parse(text) : text;
}

/** Headings that are not written like names. */
const SPELLINGS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AddressType AllowVolumeExpansion AttachRequired CIDRs Cluster-IP DistinguisherMethod DriverName External-IP ' +
    'HandSize IP Internal-IP MatchingPrecedence MaxPods MinPods MissingPL NominalConcurrencyShares OS-Image PV ' +
    'ParamKind ParamRef ParentRef PodInfoOnMount PolicyName Port(s) PreemptionPolicy PriorityLevel Provisioner ' +
    'QueueLengthLimit ReclaimPolicy RequestedDuration RequiresRepublish ServiceAccounts SignerName StorageCapacity ' +
    'StorageClass TokenRequests Up-to-date VolumeAttributesClass VolumeBindingMode VolumeMode'
  )
    .split(' ')
    .map((name) => [name.toUpperCase(), name]),
);

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

/** The columns of a custom kind. */
function customColumns({ columns, isTyped }: NonNullable<ServedResource['custom']>): readonly TableColumn[] {
  const own = columns.length > 0 ? columns : [AGE_COLUMN];
  return [NAME_COLUMN, ...own.map((column) => customColumn(column, isTyped))];
}

/** @param isTyped true: the cell of a time is the time, not an age */
function customColumn({ jsonPath, ...column }: PrinterColumn, isTyped: boolean): TableColumn {
  return { ...column, cell: customCell({ ...column, jsonPath }, isTyped) };
}
