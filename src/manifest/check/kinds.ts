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

/** Looks up a kind. Both arguments are case-sensitive. */
export function lookUpKind(apiVersion: string, kind: string): KindLookup {
  if (has(KNOWN, apiVersion, kind)) {
    const typeName = typeOfKind(apiVersion, kind) ?? kind;
    return { verdict: 'known', typeName, namespaced: !CLUSTER_SCOPED.has(kind) };
  }
  if (has(UNSUPPORTED, apiVersion, kind)) return { verdict: 'unsupported' };
  return { verdict: 'unknown', hint: hintFor(apiVersion, kind) };
}

/** A kind that Kubernetes has dropped, and that old charts still have. It has no effect on any server of today. */
const DROPPED_KIND = 'PodSecurityPolicy';

/**
 * True for an object of a custom resource definition: its group is a domain name. False for a misspelt apiVersion of
 * Kubernetes. A kind that Kubernetes has dropped counts as one that nothing defines.
 */
export function isCustomKind(apiVersion: string, kind: string): boolean {
  if (kind === DROPPED_KIND && /^(policy|extensions)\/v1beta1$/.test(apiVersion)) return true;
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
  const tables = [KNOWN, UNSUPPORTED];
  if (!group.includes('.') || tables.some((table) => versionsOf(table).some((known) => known.startsWith(`${group}/`))))
    return false;
  // An apiVersion such as `extension.k8s.io/v1` of a Deployment is a mistake.
  return !group.endsWith('.k8s.io') || !tables.some((table) => versionsOf(table).some((key) => has(table, key, kind)));
}

/** True for `List`, `PodList` and the like: their items are objects. */
export function isListKind(apiVersion: string, kind: string): boolean {
  if (!kind.endsWith('List')) return false;
  const item = kind.slice(0, -'List'.length);
  return item === '' ? apiVersion === 'v1' : lookUpKind(apiVersion, item).verdict !== 'unknown';
}

function hintFor(apiVersion: string, kind: string): string | undefined {
  const versions = [KNOWN, UNSUPPORTED].flatMap((table) => versionsOf(table).filter((key) => has(table, key, kind)));
  if (versions.length > 0) return `use ${versions.join(' or ')}`;
  const inVersion = kindsOf(KNOWN, apiVersion);
  const similar = mostSimilar(kind, [...inVersion, ...kindsOf(UNSUPPORTED, apiVersion)]);
  if (similar !== undefined) return `did you mean "${similar}"?`;
  return inVersion.length > 0 ? `known kinds in ${apiVersion}: ${inVersion.join(', ')}` : undefined;
}

const versionsOf = (table: typeof KNOWN): readonly string[] => Object.keys(table);

const kindsOf = (table: typeof KNOWN, apiVersion: string): readonly string[] => ownValue(table, apiVersion) ?? [];

const has = (table: typeof KNOWN, apiVersion: string, kind: string): boolean =>
  kindsOf(table, apiVersion).includes(kind);
