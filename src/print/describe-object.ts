import {
  type ConfigMap,
  type Namespace,
  ownValue,
  type PodDisruptionBudget,
  type PriorityClass,
  type Secret,
  selectorText,
  type ServiceAccount,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
} from '../api/index.ts';
import { alignWithEvents, eventsAbout } from './describe/describe-events.ts';
import { describePod } from './describe/describe-pod.ts';
import { describeAnyKind } from './describe/kinds/any-kind.ts';
import { describeClaim, describePersistentVolume } from './describe/kinds/volumes.ts';
import { describeEndpoints, describeEndpointSlice, describeService } from './describe/kinds/service.ts';
import { describeAutoscaler } from './describe/kinds/autoscaler.ts';
import { describeIngress, describeIngressClass } from './describe/kinds/ingress.ts';
import { describeNetworkPolicy } from './describe/kinds/network-policy.ts';
import { describeNode } from './describe/kinds/node.ts';
import { describeRole, describeRoleBinding } from './describe/kinds/rbac.ts';
import { describeSigningRequest } from './describe/kinds/signing-request.ts';
import { describeStorageClass } from './describe/kinds/storage-class.ts';
import {
  describeCsiNode,
  describeIpAddress,
  describeServiceCidr,
  describeVolumeAttributes,
} from './describe/kinds/stored-kinds.ts';
import {
  describeLimitRange,
  describeQuota,
  describeLimitRangesOf,
  describeQuotasOf,
  type StoredLimitRange,
  type StoredQuota,
} from './describe/kinds/quotas.ts';
import {
  describeDaemonSet,
  describeDeployment,
  describeReplicaSet,
  describeReplicationController,
  describeStatefulSet,
} from './describe/workloads/replicated.ts';
import { describeCronJob, describeJob } from './describe/workloads/job.ts';
import { labelText, sortedEntries } from './text/labels.ts';
import { describeAnnotations, describeIdentity, describeLabels, line } from './describe/lines.ts';

/** Facts for `describe` that are not in the object itself. */
export interface DescribeContext {
  /** Events about any objects. Undefined for `--show-events=false`. */
  readonly events: readonly StoredEvent[] | undefined;
  /** Lists objects of the described object's namespace, or of all namespaces when it has none. */
  readonly list: <T>(resource: string) => readonly T[];
  /** The current time for ages, milliseconds since 1970. */
  readonly nowMs: number;
}

/** The lines about an object, without its events. */
type Describe = (object: never, context: DescribeContext) => readonly string[];

/** The kinds besides Pods that kubectl describes in a form of their own. */
const KINDS: Readonly<Record<string, Describe>> = {
  Job: describeJob,
  CronJob: describeCronJob,
  Deployment: (deployment, { list }) => describeDeployment(deployment, list('replicasets')),
  ReplicaSet: (replicaSet, { list }) => describeReplicaSet(replicaSet, list('pods')),
  ReplicationController: (controller, { list }) => describeReplicationController(controller, list('pods')),
  StatefulSet: (set, { list }) => describeStatefulSet(set, list('pods')),
  DaemonSet: (set, { list }) => describeDaemonSet(set, list('pods')),
  ConfigMap: describeConfigMap,
  Secret: describeSecret,
  Service: (service, { list }) => describeService(service, { slices: list('endpointslices'), pods: list('pods') }),
  Endpoints: describeEndpoints,
  EndpointSlice: describeEndpointSlice,
  PersistentVolumeClaim: (claim, { list }) => describeClaim(claim, list('pods')),
  PersistentVolume: (volume, { nowMs }) => describePersistentVolume(volume, nowMs),
  ServiceAccount: (account, { list }) => describeServiceAccount(account, list('secrets')),
  Namespace: (namespace, { list }) =>
    describeNamespace(namespace, { quotas: list('resourcequotas'), limits: list('limitranges') }),
  ResourceQuota: describeQuota,
  LimitRange: describeLimitRange,
  PodDisruptionBudget: describeBudget,
  PriorityClass: describePriorityClass,
  Ingress: (ingress, { list }) =>
    describeIngress(ingress, { services: list('services'), slices: list('endpointslices'), pods: list('pods') }),
  HorizontalPodAutoscaler: describeAutoscaler,
  IngressClass: describeIngressClass,
  NetworkPolicy: describeNetworkPolicy,
  ClusterRole: describeRole,
  Role: describeRole,
  ClusterRoleBinding: describeRoleBinding,
  RoleBinding: describeRoleBinding,
  StorageClass: describeStorageClass,
  CSINode: describeCsiNode,
  VolumeAttributesClass: describeVolumeAttributes,
  IPAddress: describeIpAddress,
  ServiceCIDR: describeServiceCidr,
  CertificateSigningRequest: describeSigningRequest,
  Node: (node, { list, nowMs }) => describeNode(node, list('pods'), nowMs),
};

/** The kinds whose events kubectl does not show. */
const WITHOUT_EVENTS: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'LimitRange',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'Role',
  'RoleBinding',
  'Secret',
]);

/**
 * The output of `describe` for an object, in the form of kubectl v1.32, and of v1.36 for workloads. Sorts by name where
 * kubectl's order is random. Source: k8s.io/kubectl/pkg/describe/describe.go.
 */
export function describeObject(object: StoredKubeObject, context: DescribeContext): string {
  const { kind } = object;
  const { events, nowMs } = context;
  if (kind === 'Pod') return describePod(object as unknown as StoredPod, events, nowMs);
  const describe = ownValue(KINDS, kind) ?? describeAnyKind;
  const own = WITHOUT_EVENTS.has(kind) ? undefined : events && eventsAbout(object, events);
  return alignWithEvents(describe(object as never, context), own, nowMs);
}

/** The lines of `describe` about a ConfigMap, without its events. */
function describeConfigMap(map: StoredKubeObject & ConfigMap): string[] {
  return [
    ...describeIdentity(map),
    '',
    'Data',
    '====',
    ...sortedEntries(map.data).flatMap(([key, value]) => [`${key}:`, '----', value, '']),
    '',
    'BinaryData',
    '====',
    ...sortedEntries(map.binaryData).map(([key, value]) => `${key}: ${bytesOf(value)} bytes`),
    '',
  ];
}

/** The lines of `describe` about a Secret, without its values. Tokens, which kubectl shows, are hidden too. */
function describeSecret(secret: StoredKubeObject & Secret): string[] {
  return [
    ...describeIdentity(secret),
    '',
    line(0, 'Type:', secret.type ?? 'Opaque'),
    '',
    'Data',
    '====',
    ...sortedEntries(secret.data).map(([key, value]) => line(0, `${key}:`, `${bytesOf(value)} bytes`)),
  ];
}

/** The length of a base64 text after decoding. */
function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/[=\s]/g, '').length * 3) / 4);
}

/** The ResourceQuotas and LimitRanges of a namespace. */
interface LimitsInside {
  readonly quotas: readonly StoredQuota[];
  readonly limits: readonly StoredLimitRange[];
}

/** The lines of `describe` about a namespace. */
function describeNamespace(
  { metadata, status }: StoredKubeObject & Namespace,
  { quotas, limits }: LimitsInside,
): string[] {
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Status:', status?.phase ?? 'Active'),
    '',
    ...describeQuotasOf(quotas),
    '',
    ...describeLimitRangesOf(limits),
  ];
}

/** The lines of `describe` about a PodDisruptionBudget, without its events. */
function describeBudget({ metadata, spec = {}, status }: StoredKubeObject & PodDisruptionBudget): string[] {
  const { minAvailable, maxUnavailable, selector } = spec;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    ...(minAvailable === undefined ? [] : [line(0, 'Min available:', String(minAvailable))]),
    ...(maxUnavailable === undefined ? [] : [line(0, 'Max unavailable:', String(maxUnavailable))]),
    line(0, 'Selector:', selector === undefined ? '<unset>' : selectorText(selector)),
    line(0, 'Status:'),
    line(2, 'Allowed disruptions:', String(status?.disruptionsAllowed ?? 0)),
    line(2, 'Current:', String(status?.currentHealthy ?? 0)),
    line(2, 'Desired:', String(status?.desiredHealthy ?? 0)),
    line(2, 'Total:', String(status?.expectedPods ?? 0)),
  ];
}

/** The lines of `describe` about a PriorityClass, without its events. */
function describePriorityClass(priority: StoredKubeObject & PriorityClass): string[] {
  const { metadata, value, globalDefault, preemptionPolicy, description } = priority;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Value:', String(value ?? 0)),
    line(0, 'GlobalDefault:', String(globalDefault ?? false)),
    line(0, 'PreemptionPolicy:', preemptionPolicy ?? ''),
    line(0, 'Description:', description ?? ''),
    line(0, 'Annotations:', labelText(metadata.annotations)),
  ];
}

/**
 * The lines of `describe` about a ServiceAccount, without its events.
 * @param secrets the Secrets of its namespace
 */
function describeServiceAccount(
  account: StoredKubeObject & ServiceAccount,
  secrets: readonly (StoredKubeObject & Secret)[],
): string[] {
  const present = new Set(secrets.map(({ metadata }) => metadata.name));
  const tokens = secrets.filter(
    ({ type, metadata: { annotations = {} } }) =>
      type === 'kubernetes.io/service-account-token' &&
      annotations['kubernetes.io/service-account.name'] === account.metadata.name &&
      annotations['kubernetes.io/service-account.uid'] === account.metadata.uid,
  );
  const named = (refs: ReadonlyArray<{ readonly name?: string | undefined }> = []): string[] =>
    refs.map(({ name = '' }) => (present.has(name) ? name : `${name} (not found)`));
  // The continuation lines are padded as kubectl pads them.
  const list = (title: string, [first = '<none>', ...more]: readonly string[]): string[] => [
    line(0, title, first),
    ...more.map((text) => line(0, ' '.repeat(title.length), text)),
  ];
  return [
    ...describeIdentity(account),
    ...list('Image pull secrets:', named(account.imagePullSecrets)),
    ...list('Mountable secrets: ', named(account.secrets)),
    ...list(
      'Tokens:            ',
      tokens.map(({ metadata }) => metadata.name),
    ),
  ];
}
