import { ENDPOINTS_DEPRECATED } from '../manifest/index.ts';
import { DEFINITION_VERSION } from './custom/definition-version.ts';
import { CHANGED, clusterWide, SCALE, served, status, STORED_VERBS, withStatus } from './resources/resource-entries.ts';
import type { ServedResource, SubresourceEntry } from './resources/served-resource.ts';
import { STORED_ONLY } from './resources/stored-only.ts';

const ALL = { categories: ['all'] };
const REVIEW = { verbs: ['create'], storage: '' };

const POD_SUBRESOURCES: readonly SubresourceEntry[] = [
  { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
  { name: 'binding', kind: 'Binding', verbs: ['create'] },
  { name: 'ephemeralcontainers', kind: 'Pod', verbs: CHANGED },
  { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
  { name: 'log', kind: 'Pod', verbs: ['get'] },
  { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  {
    name: 'proxy',
    kind: 'PodProxyOptions',
    verbs: ['create', 'delete', 'get', 'patch', 'update'],
  },
  { name: 'resize', kind: 'Pod', verbs: CHANGED },
];

const proxy = (kind: string): SubresourceEntry => ({
  name: 'proxy',
  kind,
  verbs: ['create', 'delete', 'get', 'patch', 'update'],
});

const CORE: readonly ServedResource[] = [
  served('v1', 'Binding', 'bindings', REVIEW),
  clusterWide('v1', 'ComponentStatus', 'componentstatuses', {
    verbs: ['get', 'list'],
    storage: '',
    shortNames: ['cs'],
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  }),
  served('v1', 'ConfigMap', 'configmaps', { shortNames: ['cm'] }),
  served('v1', 'Endpoints', 'endpoints', {
    createsOnUpdate: true,
    shortNames: ['ep'],
    deprecation: ENDPOINTS_DEPRECATED,
  }),
  served('v1', 'Event', 'events', { createsOnUpdate: true, shortNames: ['ev'] }),
  served('v1', 'LimitRange', 'limitranges', {
    createsOnUpdate: true,
    isNamedByUid: true,
    shortNames: ['limits'],
  }),
  clusterWide('v1', 'Namespace', 'namespaces', {
    shortNames: ['ns'],
    verbs: STORED_VERBS.filter((verb) => verb !== 'deletecollection'),
    subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, status('Namespace')],
  }),
  clusterWide('v1', 'Node', 'nodes', {
    shortNames: ['no'],
    subresources: [proxy('NodeProxyOptions'), status('Node')],
  }),
  served('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', {
    ...withStatus('PersistentVolumeClaim'),
    returnsDeleted: true,
    shortNames: ['pvc'],
  }),
  clusterWide('v1', 'PersistentVolume', 'persistentvolumes', {
    ...withStatus('PersistentVolume'),
    returnsDeleted: true,
    shortNames: ['pv'],
  }),
  served('v1', 'Pod', 'pods', {
    ...ALL,
    returnsDeleted: true,
    shortNames: ['po'],
    subresources: [...POD_SUBRESOURCES, status('Pod')],
  }),
  served('v1', 'PodTemplate', 'podtemplates'),
  served('v1', 'ReplicationController', 'replicationcontrollers', {
    ...ALL,
    shortNames: ['rc'],
    subresources: [SCALE, status('ReplicationController')],
  }),
  served('v1', 'ResourceQuota', 'resourcequotas', { ...withStatus('ResourceQuota'), shortNames: ['quota'] }),
  served('v1', 'Secret', 'secrets'),
  served('v1', 'ServiceAccount', 'serviceaccounts', {
    shortNames: ['sa'],
    subresources: [
      { name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
    ],
  }),
  served('v1', 'Service', 'services', {
    ...ALL,
    createsOnUpdate: true,
    returnsDeleted: true,
    shortNames: ['svc'],
    subresources: [proxy('ServiceProxyOptions'), status('Service')],
  }),
];

const WORKLOADS: readonly ServedResource[] = [
  served('apps/v1', 'ControllerRevision', 'controllerrevisions'),
  served('apps/v1', 'DaemonSet', 'daemonsets', { ...ALL, ...withStatus('DaemonSet'), shortNames: ['ds'] }),
  served('apps/v1', 'Deployment', 'deployments', {
    ...ALL,
    shortNames: ['deploy'],
    subresources: [SCALE, status('Deployment')],
  }),
  served('apps/v1', 'ReplicaSet', 'replicasets', {
    ...ALL,
    shortNames: ['rs'],
    subresources: [SCALE, status('ReplicaSet')],
  }),
  served('apps/v1', 'StatefulSet', 'statefulsets', {
    ...ALL,
    shortNames: ['sts'],
    subresources: [SCALE, status('StatefulSet')],
  }),
  served('batch/v1', 'CronJob', 'cronjobs', { ...ALL, ...withStatus('CronJob'), shortNames: ['cj'] }),
  served('batch/v1', 'Job', 'jobs', { ...ALL, ...withStatus('Job') }),
];

const REVIEWS: readonly ServedResource[] = [
  clusterWide('authentication.k8s.io/v1', 'SelfSubjectReview', 'selfsubjectreviews', REVIEW),
  clusterWide('authentication.k8s.io/v1', 'TokenReview', 'tokenreviews', REVIEW),
  served('authorization.k8s.io/v1', 'LocalSubjectAccessReview', 'localsubjectaccessreviews', REVIEW),
  clusterWide('authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', REVIEW),
  clusterWide('authorization.k8s.io/v1', 'SelfSubjectRulesReview', 'selfsubjectrulesreviews', REVIEW),
  clusterWide('authorization.k8s.io/v1', 'SubjectAccessReview', 'subjectaccessreviews', REVIEW),
];

const ADMISSION = 'admissionregistration.k8s.io/v1';
const RBAC = 'rbac.authorization.k8s.io/v1';

const EXTENSION = { categories: ['api-extensions'], needsVersion: true };
const METRICS = { verbs: ['get', 'list'], storage: '' };

const OTHERS: readonly ServedResource[] = [
  served('coordination.k8s.io/v1', 'Lease', 'leases', { createsOnUpdate: true, needsVersion: true }),
  served('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  served('networking.k8s.io/v1', 'Ingress', 'ingresses', { ...withStatus('Ingress'), shortNames: ['ing'] }),
  clusterWide('metrics.k8s.io/v1beta1', 'NodeMetrics', 'nodes', METRICS),
  served('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods', METRICS),
  clusterWide('networking.k8s.io/v1', 'IngressClass', 'ingressclasses'),
  clusterWide('networking.k8s.io/v1', 'IPAddress', 'ipaddresses', { shortNames: ['ip'] }),
  served('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'] }),
  clusterWide('networking.k8s.io/v1', 'ServiceCIDR', 'servicecidrs', withStatus('ServiceCIDR')),
  clusterWide('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', { createsOnUpdate: true, needsVersion: true }),
  served('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', {
    ...withStatus('PodDisruptionBudget'),
    needsVersion: true,
    shortNames: ['pdb'],
  }),
  clusterWide(RBAC, 'ClusterRoleBinding', 'clusterrolebindings', { createsOnUpdate: true }),
  clusterWide(RBAC, 'ClusterRole', 'clusterroles', { createsOnUpdate: true }),
  served(RBAC, 'RoleBinding', 'rolebindings', { createsOnUpdate: true }),
  served(RBAC, 'Role', 'roles', { createsOnUpdate: true }),
  clusterWide('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { shortNames: ['pc'] }),
  clusterWide('storage.k8s.io/v1', 'StorageClass', 'storageclasses', {
    returnsDeleted: true,
    shortNames: ['sc'],
  }),
  clusterWide('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    ...withStatus('CustomResourceDefinition'),
    needsVersion: true,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    custom: DEFINITION_VERSION,
    storedAs: 'apiextensions.k8s.io/v1beta1',
  }),
  ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'].map((kind) =>
    clusterWide(ADMISSION, kind, `${kind.toLowerCase().replace(/y$/, 'ie')}s`, {
      ...EXTENSION,
      storedAs: 'admissionregistration.k8s.io/v1beta1',
    }),
  ),
  clusterWide(ADMISSION, 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', EXTENSION),
  clusterWide(ADMISSION, 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', {
    ...withStatus('ValidatingAdmissionPolicy'),
    ...EXTENSION,
  }),
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) =>
    clusterWide(ADMISSION, kind, `${kind.toLowerCase()}s`, EXTENSION),
  ),
];

/**
 * The kinds of Kubernetes that the server serves. Names, short names, categories and verbs as in the discovery of a
 * real API server of 1.36.
 */
export const BUILT_IN_RESOURCES: readonly ServedResource[] = [
  ...CORE,
  ...WORKLOADS,
  ...REVIEWS,
  ...OTHERS,
  ...STORED_ONLY,
];
