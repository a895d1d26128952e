import { mostSimilar, ownValue, typeOfKind } from '../../api/index.ts';

/** The result of looking up an apiVersion and a kind. */
export type KindLookup =
  | { readonly verdict: 'known'; readonly typeName: string; readonly namespaced: boolean }
  /** A kind of Kubernetes that podrun ignores with a warning. */
  | { readonly verdict: 'unsupported' }
  | { readonly verdict: 'unknown'; readonly hint: string | undefined };

/** Kinds that podrun reads, checks and stores, by apiVersion. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  v1: [
    'ConfigMap',
    'Endpoints',
    'LimitRange',
    'Namespace',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'PodTemplate',
    'ReplicationController',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ],
  'apps/v1': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'autoscaling/v1': ['HorizontalPodAutoscaler'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'batch/v1': ['CronJob', 'Job'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'networking.k8s.io/v1': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  'node.k8s.io/v1': ['RuntimeClass'],
  'policy/v1': ['PodDisruptionBudget'],
  'scheduling.k8s.io/v1': ['PriorityClass'],
  'storage.k8s.io/v1': ['StorageClass'],
};

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'IngressClass',
  'Namespace',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
]);

const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  v1: ['Binding', 'Event', 'Node'],
  'admissionregistration.k8s.io/v1': [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apiregistration.k8s.io/v1': ['APIService'],
  'autoscaling/v1': ['Scale'],
  'certificates.k8s.io/v1': ['CertificateSigningRequest'],
  'coordination.k8s.io/v1': ['Lease'],
  'events.k8s.io/v1': ['Event'],
  'flowcontrol.apiserver.k8s.io/v1': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io/v1': ['IPAddress', 'ServiceCIDR'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'resource.k8s.io/v1': ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'],
  'storage.k8s.io/v1': ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'VolumeAttachment', 'VolumeAttributesClass'],
};

const TABLES: ReadonlyArray<typeof KNOWN> = [KNOWN, UNSUPPORTED];

/** Looks up a kind. Both arguments are case-sensitive. */
export function lookUpKind(apiVersion: string, kind: string): KindLookup {
  if (has(KNOWN, apiVersion, kind)) {
    const typeName = typeOfKind(apiVersion, kind) ?? kind;
    return { verdict: 'known', typeName, namespaced: !CLUSTER_SCOPED.has(kind) };
  }
  if (has(UNSUPPORTED, apiVersion, kind)) return { verdict: 'unsupported' };
  return { verdict: 'unknown', hint: hintFor(apiVersion, kind) };
}

/**
 * True for an object that only a CustomResourceDefinition, or another API server, can define: its group is a domain
 * name, or Kubernetes has removed its version. False for a misspelt kind or apiVersion of Kubernetes.
 */
export function isCustomKind(apiVersion: string, kind: string): boolean {
  if (isUnservedVersion(apiVersion)) return true;
  const group = groupOf(apiVersion);
  if (!group.includes('.') || isOwnGroup(group)) return false;
  // An apiVersion such as `extension.k8s.io/v1` of a Deployment is a mistake.
  return !group.endsWith('.k8s.io') || !TABLES.some((table) => versionsOf(table).some((key) => has(table, key, kind)));
}

/** The group of the first Deployments and Ingresses. Kubernetes has no kind in it any more. */
const FORMER_GROUP = 'extensions';

/**
 * True for an alpha or beta version of a group of Kubernetes, as old charts have them: `batch/v1beta1`. An API server
 * has either removed it or serves it on request only.
 */
export function isUnservedVersion(apiVersion: string): boolean {
  const group = groupOf(apiVersion);
  if (!/^v\d+(?:alpha|beta)\d+$/.test(apiVersion.slice(group.length + 1))) return false;
  return group === FORMER_GROUP || (group !== '' && isOwnGroup(group));
}

/** True for `List`, `PodList` and the like: their items are objects. */
export function isListKind(apiVersion: string, kind: string): boolean {
  if (!kind.endsWith('List')) return false;
  const item = kind.slice(0, -'List'.length);
  if (item === '') return apiVersion === 'v1';
  return isUnservedVersion(apiVersion) || lookUpKind(apiVersion, item).verdict !== 'unknown';
}

function hintFor(apiVersion: string, kind: string): string | undefined {
  const versions = TABLES.flatMap((table) => versionsOf(table).filter((key) => has(table, key, kind)));
  if (versions.length > 0) return `use ${versions.join(' or ')}`;
  const inVersion = kindsOf(KNOWN, apiVersion);
  const similar = mostSimilar(kind, [...inVersion, ...kindsOf(UNSUPPORTED, apiVersion)]);
  if (similar !== undefined) return `did you mean "${similar}"?`;
  return inVersion.length > 0 ? `known kinds in ${apiVersion}: ${inVersion.join(', ')}` : undefined;
}

const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));

const isOwnGroup = (group: string): boolean =>
  TABLES.some((table) => versionsOf(table).some((known) => known.startsWith(`${group}/`)));

const versionsOf = (table: typeof KNOWN): readonly string[] => Object.keys(table);

const kindsOf = (table: typeof KNOWN, apiVersion: string): readonly string[] => ownValue(table, apiVersion) ?? [];

const has = (table: typeof KNOWN, apiVersion: string, kind: string): boolean =>
  kindsOf(table, apiVersion).includes(kind);
