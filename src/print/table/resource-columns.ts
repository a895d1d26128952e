import {
  canonicalQuantity,
  type ConfigMap,
  type Endpoints,
  type EndpointSubset,
  type Namespace,
  type Node,
  ownValue,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Secret,
  type Service,
  type ServicePort,
  type StoredEndpointSlice,
  type StoredEvent,
} from '../../api/index.ts';
import {
  accessModeText,
  AGE,
  claimCapacity,
  claimClass,
  claimModes,
  NAME,
  NAME_AND_CREATION,
} from './common-columns.ts';
import { firstFew, labelText } from '../text/labels.ts';
import { POD_COLUMNS } from './pod-status.ts';
import { NETWORKING_COLUMNS } from './networking-columns.ts';
import { STORED_COLUMNS } from './stored-columns.ts';
import { POLICY_COLUMNS } from './policy-columns.ts';
import type { Column, TableObject } from './table-printer.ts';
import { WORKLOAD_COLUMNS } from './workload-columns.ts';
import { ageSince } from '../base/age.ts';

/**
 * The columns of `get events`. Unlike the columns of `events`, they show ages without counts. Source:
 * pkg/printers/internalversion/printers.go, printEvent.
 */
const EVENT_COLUMNS: readonly Column<StoredEvent>[] = [
  { heading: 'LAST SEEN', cell: (event, nowMs) => ageSince(lastSeen(event), nowMs) },
  { heading: 'TYPE', cell: ({ type }) => type ?? '' },
  { heading: 'REASON', cell: ({ reason }) => reason ?? '' },
  {
    heading: 'OBJECT',
    cell: ({ involvedObject: { kind = '', name } }) => kind.toLowerCase() + (name ? `/${name}` : ''),
  },
  { heading: 'SUBOBJECT', wide: true, cell: ({ involvedObject }) => involvedObject.fieldPath ?? '' },
  { heading: 'SOURCE', wide: true, cell: reporter },
  { heading: 'MESSAGE', cell: ({ message }) => (message ?? '').trim() },
  { heading: 'FIRST SEEN', wide: true, cell: (event, nowMs) => ageSince(firstSeen(event), nowMs) },
  {
    heading: 'COUNT',
    wide: true,
    isRaw: true,
    cell: ({ series, count }) => String(series ? (series.count ?? 0) : count || 1),
  },
  { heading: 'NAME', wide: true, cell: ({ metadata }) => metadata.name },
];

function firstSeen({ firstTimestamp, eventTime }: StoredEvent): string | null | undefined {
  return firstTimestamp || eventTime;
}

function lastSeen(event: StoredEvent): string | null | undefined {
  return event.series?.lastObservedTime ?? (event.lastTimestamp || firstSeen(event));
}

/** The reporter of an event and its host: `kubelet, node-1`. */
function reporter({ source, reportingComponent, reportingInstance }: StoredEvent): string {
  const parts = source?.component ? [source.component, source.host] : [reportingComponent, reportingInstance];
  return parts.filter(Boolean).join(', ');
}

type Data = Readonly<Record<string, unknown>>;

const size = (...maps: ReadonlyArray<Data | undefined>): string =>
  String(maps.reduce((sum, map) => sum + Object.keys(map ?? {}).length, 0));

const CONFIG_MAP: readonly Column<TableObject & ConfigMap>[] = [
  NAME,
  { heading: 'DATA', isRaw: true, cell: ({ data, binaryData }) => size(data, binaryData) },
  AGE,
];

const SECRET: readonly Column<TableObject & Secret>[] = [
  NAME,
  { heading: 'TYPE', cell: ({ type }) => type ?? '' },
  { heading: 'DATA', isRaw: true, cell: ({ data }) => size(data) },
  AGE,
];

const NAMESPACE: readonly Column<TableObject & Namespace>[] = [
  NAME,
  { heading: 'STATUS', cell: ({ status }) => status?.phase ?? 'Active' },
  AGE,
];

const NODE: readonly Column<TableObject & Node>[] = [
  NAME,
  { heading: 'STATUS', cell: nodeStatus },
  { heading: 'ROLES', cell: nodeRoles },
  AGE,
  { heading: 'VERSION', cell: ({ status }) => status?.nodeInfo?.kubeletVersion ?? '' },
  { heading: 'INTERNAL-IP', wide: true, cell: (node) => nodeAddress(node, 'InternalIP') },
  { heading: 'EXTERNAL-IP', wide: true, cell: (node) => nodeAddress(node, 'ExternalIP') },
  { heading: 'OS-IMAGE', wide: true, cell: ({ status }) => status?.nodeInfo?.osImage || '<unknown>' },
  { heading: 'KERNEL-VERSION', wide: true, cell: ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>' },
  {
    heading: 'CONTAINER-RUNTIME',
    wide: true,
    cell: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
  },
];

const SERVICE: readonly Column<TableObject & Service>[] = [
  NAME,
  { heading: 'TYPE', cell: ({ spec }) => spec?.type ?? 'ClusterIP' },
  { heading: 'CLUSTER-IP', cell: ({ spec }) => spec?.clusterIPs?.[0] || spec?.clusterIP || '<none>' },
  { heading: 'EXTERNAL-IP', cell: externalAddress },
  { heading: 'PORT(S)', cell: ({ spec }) => (spec?.ports ?? []).map(servicePort).join(',') || '<none>' },
  AGE,
  { heading: 'SELECTOR', wide: true, cell: ({ spec }) => labelText(spec?.selector) },
];

const CLAIM: readonly Column<TableObject & PersistentVolumeClaim>[] = [
  NAME,
  { heading: 'STATUS', cell: ({ metadata, status }) => terminating(metadata) ?? status?.phase ?? 'Pending' },
  { heading: 'VOLUME', cell: ({ spec }) => spec?.volumeName ?? '' },
  { heading: 'CAPACITY', cell: claimCapacity },
  { heading: 'ACCESS MODES', cell: claimModes },
  { heading: 'STORAGECLASS', cell: claimClass },
  { heading: 'VOLUMEATTRIBUTESCLASS', cell: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>' },
  AGE,
  { heading: 'VOLUMEMODE', wide: true, cell: ({ spec }) => spec?.volumeMode ?? '<unset>' },
];

const VOLUME: readonly Column<TableObject & PersistentVolume>[] = [
  NAME,
  { heading: 'CAPACITY', cell: ({ spec }) => canonicalQuantity(spec?.capacity?.['storage'] ?? '0') },
  { heading: 'ACCESS MODES', cell: ({ spec }) => accessModeText(spec?.accessModes) },
  { heading: 'RECLAIM POLICY', cell: ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '' },
  { heading: 'STATUS', cell: ({ metadata, status }) => terminating(metadata) ?? status?.phase ?? '' },
  { heading: 'CLAIM', cell: ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : '') },
  { heading: 'STORAGECLASS', cell: claimClass },
  { heading: 'VOLUMEATTRIBUTESCLASS', cell: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>' },
  { heading: 'REASON', cell: ({ status }) => status?.reason ?? '' },
  AGE,
  { heading: 'VOLUMEMODE', wide: true, cell: ({ spec }) => spec?.volumeMode ?? '<unset>' },
];

const ENDPOINT_SLICE: readonly Column<StoredEndpointSlice>[] = [
  NAME,
  { heading: 'ADDRESSTYPE', cell: ({ addressType }) => addressType },
  {
    heading: 'PORTS',
    cell: ({ ports }) => shortList((ports ?? []).map(({ port, name }) => String(port ?? name ?? '*'))),
  },
  { heading: 'ENDPOINTS', cell: ({ endpoints }) => shortList((endpoints ?? []).flatMap(({ addresses }) => addresses)) },
  AGE,
];

const ENDPOINTS: readonly Column<TableObject & Endpoints>[] = [
  NAME,
  { heading: 'ENDPOINTS', cell: ({ subsets }) => firstFew((subsets ?? []).flatMap(subsetAddresses)) || '<none>' },
  AGE,
];

function subsetAddresses({ addresses = [], ports = [] }: EndpointSubset): string[] {
  if (ports.length === 0) return addresses.map(({ ip }) => ip);
  return ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`));
}

function shortList(values: readonly string[]): string {
  return firstFew(values) || '<unset>';
}

/** The state of a node in one cell, as kubectl prints it. */
export function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** The roles of a node by its labels, in one cell. */
export function nodeRoles({ metadata }: Node): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(metadata?.labels ?? {}).filter((label) => label.startsWith(prefix));
  return (
    roles
      .map((label) => label.slice(prefix.length))
      .toSorted()
      .join(',') || '<none>'
  );
}

function nodeAddress({ status }: Node, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
}

function terminating({ deletionTimestamp }: TableObject['metadata']): string | undefined {
  return deletionTimestamp === undefined ? undefined : 'Terminating';
}

function externalAddress({ spec, status }: Service): string {
  if (spec?.type === 'ExternalName') return spec.externalName ?? '';
  const balanced = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  const addresses = [...balanced, ...(spec?.externalIPs ?? [])].join(',');
  return addresses || (spec?.type === 'LoadBalancer' ? '<pending>' : '<none>');
}

function servicePort({ port, nodePort, protocol = 'TCP' }: ServicePort): string {
  return `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`;
}

const COLUMNS: Readonly<Record<string, readonly Column<never>[]>> = {
  pods: POD_COLUMNS,
  events: EVENT_COLUMNS,
  clusterroles: NAME_AND_CREATION,
  configmaps: CONFIG_MAP,
  csistoragecapacities: NAME_AND_CREATION,
  customresourcedefinitions: NAME_AND_CREATION,
  limitranges: NAME_AND_CREATION,
  roles: NAME_AND_CREATION,
  secrets: SECRET,
  services: SERVICE,
  namespaces: NAMESPACE,
  nodes: NODE,
  persistentvolumeclaims: CLAIM,
  endpoints: ENDPOINTS,
  persistentvolumes: VOLUME,
  endpointslices: ENDPOINT_SLICE,
  ...NETWORKING_COLUMNS,
  ...POLICY_COLUMNS,
  ...STORED_COLUMNS,
  ...WORKLOAD_COLUMNS,
};

/**
 * The columns of `get` for a resource. A resource without columns of its own has name and age.
 * Source: pkg/printers/internalversion/printers.go.
 */
export function columnsOf(resource: string): readonly Column<TableObject>[] {
  return ownValue(COLUMNS, resource) ?? [NAME, AGE];
}
