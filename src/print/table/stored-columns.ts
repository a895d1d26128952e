import { canonicalQuantity, humanDuration, isJsonObject } from '../../api/index.ts';
import { AGE, NAME } from './common-columns.ts';
import type { Column, TableObject } from './table-printer.ts';

/** An object of a kind that podrun only stores: the text of its fields is all that a table needs. */
interface StoredOnly extends TableObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

type StoredColumns = readonly Column<StoredOnly>[];

/** The value at a path. Undefined: there is none. */
function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), object);
}

function textAt(object: unknown, path: string, fallback = ''): string {
  const value = at(object, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : fallback;
}

function listAt(object: unknown, path: string): readonly unknown[] {
  const value = at(object, path);
  return Array.isArray(value) ? value : [];
}

const text = (heading: string, path: string, fallback = ''): Column<StoredOnly> => ({
  heading,
  cell: (object) => textAt(object, path, fallback),
});
/** A number or a flag, which the Table of the API has as such. */
const raw = (
  heading: string,
  path: string,
  fallback: string,
  type?: Column<StoredOnly>['type'],
): Column<StoredOnly> => ({
  ...text(heading, path, fallback),
  isRaw: true,
  ...(type && { type }),
});
const count = (heading: string, path: string): Column<StoredOnly> => ({
  heading,
  type: 'integer',
  isRaw: true,
  cell: (object) => `${listAt(object, path).length}`,
});

/** The status of a condition of an object. Empty: it has no such condition. */
function condition(object: unknown, type: string): { readonly status: string; readonly reason: string } {
  const present = listAt(object, 'status.conditions').find((each) => textAt(each, 'type') === type);
  return { status: textAt(present, 'status'), reason: textAt(present, 'reason') };
}

/** Such an object has one condition, and no age. */
const COMPONENT_STATUS: StoredColumns = [
  NAME,
  { heading: 'STATUS', cell: (object) => (componentHealth(object, 'status') === 'True' ? 'Healthy' : 'Unhealthy') },
  { heading: 'MESSAGE', cell: (object) => componentHealth(object, 'message') },
  { heading: 'ERROR', cell: (object) => componentHealth(object, 'error') },
];

function componentHealth(object: StoredOnly, field: string): string {
  return textAt(listAt(object, 'conditions')[0], field);
}

const API_SERVICE: StoredColumns = [
  NAME,
  {
    heading: 'SERVICE',
    cell: (object) =>
      at(object, 'spec.service') === undefined
        ? 'Local'
        : `${textAt(object, 'spec.service.namespace')}/${textAt(object, 'spec.service.name')}`,
  },
  {
    heading: 'AVAILABLE',
    cell: (object) => {
      const { status, reason } = condition(object, 'Available');
      if (status === '') return 'Unknown';
      return status === 'True' ? status : `${status} (${reason})`;
    },
  },
  AGE,
];

function requestState(object: StoredOnly): string {
  const types = new Set(listAt(object, 'status.conditions').map((each) => textAt(each, 'type')));
  const decided = ['Approved', 'Denied', 'Failed'].filter((type) => types.has(type));
  const states = decided.length === 0 ? ['Pending'] : decided;
  return [...states, ...(textAt(object, 'status.certificate') === '' ? [] : ['Issued'])].join(',');
}

const SIGNING_REQUEST: StoredColumns = [
  NAME,
  AGE,
  text('SIGNERNAME', 'spec.signerName', '<none>'),
  text('REQUESTOR', 'spec.username'),
  {
    heading: 'REQUESTEDDURATION',
    cell: (object) => {
      const seconds = at(object, 'spec.expirationSeconds');
      return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>';
    },
  },
  { heading: 'CONDITION', cell: requestState },
];

const CSI_DRIVER: StoredColumns = [
  NAME,
  raw('ATTACHREQUIRED', 'spec.attachRequired', 'true', 'boolean'),
  raw('PODINFOONMOUNT', 'spec.podInfoOnMount', 'false', 'boolean'),
  raw('STORAGECAPACITY', 'spec.storageCapacity', 'false', 'boolean'),
  {
    heading: 'TOKENREQUESTS',
    cell: (object) =>
      listAt(object, 'spec.tokenRequests')
        .map((each) => textAt(each, 'audience'))
        .join(',') || '<unset>',
  },
  raw('REQUIRESREPUBLISH', 'spec.requiresRepublish', 'false', 'boolean'),
  { heading: 'MODES', cell: (object) => listAt(object, 'spec.volumeLifecycleModes').join(',') || '<none>' },
  AGE,
];

const FLOW_SCHEMA: StoredColumns = [
  NAME,
  text('PRIORITYLEVEL', 'spec.priorityLevelConfiguration.name', '<none>'),
  raw('MATCHINGPRECEDENCE', 'spec.matchingPrecedence', '0'),
  text('DISTINGUISHERMETHOD', 'spec.distinguisherMethod.type', '<none>'),
  AGE,
  { heading: 'MISSINGPL', cell: (object) => condition(object, 'Dangling').status || '?' },
];

const QUEUING = 'spec.limited.limitResponse.queuing';
const mayBeNone = (heading: string, path: string): Column<StoredOnly> => ({
  heading,
  isRaw: true,
  cell: (object) => textAt(object, path, '<none>'),
});
const PRIORITY_LEVEL: StoredColumns = [
  NAME,
  text('TYPE', 'spec.type'),
  mayBeNone('NOMINALCONCURRENCYSHARES', 'spec.limited.nominalConcurrencyShares'),
  mayBeNone('QUEUES', `${QUEUING}.queues`),
  mayBeNone('HANDSIZE', `${QUEUING}.handSize`),
  mayBeNone('QUEUELENGTHLIMIT', `${QUEUING}.queueLengthLimit`),
  AGE,
];

const METRICS_SHOWN = 2;

/** Source: formatHPAMetrics. */
function targets(object: StoredOnly): string {
  const oldTarget = textAt(object, 'spec.targetCPUUtilizationPercentage');
  const specs = listAt(object, 'spec.metrics');
  if (specs.length === 0) return oldTarget === '' ? '<none>' : `cpu: <unknown>/${oldTarget}%`;
  const states = listAt(object, 'status.currentMetrics');
  const metrics = specs.slice(0, METRICS_SHOWN).map((spec, index) => targetText(spec, states[index]));
  const more = specs.length > METRICS_SHOWN ? ` + ${specs.length - METRICS_SHOWN} more...` : '';
  return metrics.join(', ') + more;
}

function targetText(spec: unknown, state: unknown): string {
  const type = textAt(spec, 'type');
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const [target, current] = [at(spec, `${field}.target`), at(state, `${field}.current`)];
  const quantity = (value: unknown, name: string): string =>
    at(value, name) === undefined ? '<unknown>' : canonicalQuantity(textAt(value, name));
  const isAverage = at(target, 'averageValue') !== undefined;
  const name = isAverage ? 'averageValue' : 'value';
  if (type === 'Resource' || type === 'ContainerResource') {
    const percent = (value: unknown, otherwise: string): string =>
      at(value, 'averageUtilization') === undefined ? otherwise : `${textAt(value, 'averageUtilization')}%`;
    const amounts = isAverage
      ? `${quantity(current, name)}/${quantity(target, name)}`
      : `${percent(current, '<unknown>')}/${percent(target, '<auto>')}`;
    return `${textAt(spec, `${field}.name`)}: ${amounts}`;
  }
  const amounts = `${quantity(current, name)}/${quantity(target, name)}`;
  return isAverage && type !== 'Pods' ? `${amounts} (avg)` : amounts;
}

const AUTOSCALER: StoredColumns = [
  NAME,
  {
    heading: 'REFERENCE',
    cell: (object) => `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`,
  },
  { heading: 'TARGETS', cell: targets },
  text('MINPODS', 'spec.minReplicas', '<unset>'),
  raw('MAXPODS', 'spec.maxReplicas', '0'),
  raw('REPLICAS', 'status.currentReplicas', '0'),
  AGE,
];

/** Source: pkg/printers/internalversion/printers.go, printScale. */
const SCALE: StoredColumns = [
  NAME,
  raw('DESIRED', 'spec.replicas', '0'),
  raw('AVAILABLE', 'status.replicas', '0'),
  AGE,
];

function subjects(kind: string, name: (subject: unknown) => string): (object: StoredOnly) => string {
  return (object) =>
    listAt(object, 'subjects')
      .filter((subject) => textAt(subject, 'kind') === kind)
      .map(name)
      .join(', ');
}

const nameOf = (subject: unknown): string => textAt(subject, 'name');
const ROLE_BINDING: StoredColumns = [
  NAME,
  { heading: 'ROLE', cell: (object) => `${textAt(object, 'roleRef.kind')}/${textAt(object, 'roleRef.name')}` },
  AGE,
  { heading: 'USERS', wide: true, cell: subjects('User', nameOf) },
  { heading: 'GROUPS', wide: true, cell: subjects('Group', nameOf) },
  {
    heading: 'SERVICEACCOUNTS',
    wide: true,
    cell: subjects('ServiceAccount', (subject) => `${textAt(subject, 'namespace')}/${nameOf(subject)}`),
  },
];

function claimState(object: StoredOnly): string {
  const isAllocated = at(object, 'status.allocation') !== undefined;
  const isReserved = listAt(object, 'status.reservedFor').length > 0;
  const states = [
    ...(object.metadata.deletionTimestamp === undefined ? [] : ['deleted']),
    ...(isAllocated ? ['allocated'] : []),
    ...(isReserved ? ['reserved'] : []),
  ];
  return states.join(',') || 'pending';
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const STORAGE_CLASS: StoredColumns = [
  {
    heading: 'NAME',
    cell: ({ metadata }) => metadata.name + (metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''),
  },
  text('PROVISIONER', 'provisioner'),
  text('RECLAIMPOLICY', 'reclaimPolicy', 'Delete'),
  text('VOLUMEBINDINGMODE', 'volumeBindingMode', '<unset>'),
  raw('ALLOWVOLUMEEXPANSION', 'allowVolumeExpansion', 'false'),
  AGE,
];

function paramKind(object: StoredOnly): string {
  if (at(object, 'spec.paramKind') === undefined) return '<unset>';
  return `${textAt(object, 'spec.paramKind.apiVersion')}/${textAt(object, 'spec.paramKind.kind')}`;
}

const PARAM_KIND = { heading: 'PARAMKIND', cell: paramKind };

function paramRef(object: StoredOnly): string {
  if (at(object, 'spec.paramRef') === undefined) return '<unset>';
  return `${textAt(object, 'spec.paramRef.namespace', '*')}/${textAt(object, 'spec.paramRef.name')}`;
}

const POLICY_BINDING: StoredColumns = [
  NAME,
  text('POLICYNAME', 'spec.policyName'),
  { heading: 'PARAMREF', cell: paramRef },
  AGE,
];

/** The object that an address belongs to: `services/default/web`. Source: printIPAddress. */
function parentRef(object: StoredOnly): string {
  const [group, ...parts] = ['group', 'resource', 'namespace', 'name'].map((field) =>
    textAt(object, `spec.parentRef.${field}`),
  );
  const [resource = '', ...place] = parts.filter((part) => part !== '');
  return [group === '' ? resource : `${resource}.${group}`, ...place].join('/');
}

/** The columns of kinds that podrun only stores. Source: pkg/printers/internalversion/printers.go. */
export const STORED_COLUMNS: Readonly<Record<string, readonly Column<never>[]>> = {
  apiservices: API_SERVICE,
  componentstatuses: COMPONENT_STATUS,
  certificatesigningrequests: SIGNING_REQUEST,
  clusterrolebindings: ROLE_BINDING,
  csidrivers: CSI_DRIVER,
  csinodes: [NAME, count('DRIVERS', 'spec.drivers'), AGE],
  flowschemas: FLOW_SCHEMA,
  horizontalpodautoscalers: AUTOSCALER,
  scales: SCALE,
  ipaddresses: [NAME, { heading: 'PARENTREF', cell: parentRef }, AGE],
  leases: [NAME, text('HOLDER', 'spec.holderIdentity'), AGE],
  mutatingadmissionpolicies: [NAME, count('MUTATIONS', 'spec.mutations'), PARAM_KIND, AGE],
  mutatingadmissionpolicybindings: POLICY_BINDING,
  mutatingwebhookconfigurations: [NAME, count('WEBHOOKS', 'webhooks'), AGE],
  prioritylevelconfigurations: PRIORITY_LEVEL,
  resourceclaims: [NAME, { heading: 'STATE', cell: claimState }, AGE],
  resourceslices: [
    NAME,
    text('NODE', 'spec.nodeName', '<none>'),
    text('DRIVER', 'spec.driver'),
    text('POOL', 'spec.pool.name'),
    AGE,
  ],
  rolebindings: ROLE_BINDING,
  servicecidrs: [NAME, { heading: 'CIDRS', cell: (object) => listAt(object, 'spec.cidrs').join(',') }, AGE],
  storageclasses: STORAGE_CLASS,
  validatingadmissionpolicies: [NAME, count('VALIDATIONS', 'spec.validations'), PARAM_KIND, AGE],
  validatingadmissionpolicybindings: POLICY_BINDING,
  validatingwebhookconfigurations: [NAME, count('WEBHOOKS', 'webhooks'), AGE],
  volumeattachments: [
    NAME,
    text('ATTACHER', 'spec.attacher'),
    text('PV', 'spec.source.persistentVolumeName'),
    text('NODE', 'spec.nodeName'),
    raw('ATTACHED', 'status.attached', 'false', 'boolean'),
    AGE,
  ],
  volumeattributesclasses: [NAME, text('DRIVERNAME', 'driverName'), AGE],
};
