import type { KubeObject } from '../../api/index.ts';
import type { PolicyRule } from './permissions.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const ALL = [...WRITE, ...READ];

/** A role with this label of 1 gives its rules to the role behind the slash. */
const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-';
const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

const rule = (verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const withParts = (part: string, names: readonly string[]): string[] => names.map((name) => `${name}/${part}`);

const SCALED = ['deployments', 'replicasets', 'statefulsets'];
const APPS = ['daemonsets', ...SCALED, ...withParts('scale', SCALED)];
const CORE = ['configmaps', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'replicationcontrollers/scale'];
const NETWORKING = ['ingresses', 'networkpolicies'];
const INTO_PODS = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'];

const VIEW: readonly PolicyRule[] = [
  rule(READ, '', ...CORE, 'endpoints', 'serviceaccounts', 'services', 'bindings', 'events', 'limitranges'),
  rule(READ, '', 'namespaces', 'namespaces/status', 'pods/log', 'pods/status', 'resourcequotas'),
  rule(READ, '', 'persistentvolumeclaims/status', 'replicationcontrollers/status', 'resourcequotas/status'),
  rule(READ, '', 'services/status'),
  rule(READ, 'discovery.k8s.io', 'endpointslices'),
  rule(READ, 'apps', 'controllerrevisions', ...APPS, 'daemonsets/status', ...withParts('status', SCALED)),
  rule(READ, 'autoscaling', 'horizontalpodautoscalers', 'horizontalpodautoscalers/status'),
  rule(READ, 'batch', 'cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'),
  rule(READ, 'policy', 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
  rule(READ, 'networking.k8s.io', ...NETWORKING, 'ingresses/status'),
  rule(READ, 'resource.k8s.io', 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'),
];

const EDIT: readonly PolicyRule[] = [
  rule(READ, '', ...INTO_PODS, 'secrets'),
  rule(['impersonate'], '', 'serviceaccounts'),
  rule(WRITE, '', ...CORE, ...INTO_PODS, 'events', 'secrets', 'serviceaccounts', 'services'),
  rule(['create'], '', 'pods/eviction', 'serviceaccounts/token'),
  rule(WRITE, 'apps', ...APPS, 'deployments/rollback'),
  rule(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
  rule(WRITE, 'batch', 'cronjobs', 'jobs'),
  rule(WRITE, 'policy', 'poddisruptionbudgets'),
  rule(WRITE, 'networking.k8s.io', ...NETWORKING),
  rule(ALL, 'coordination.k8s.io', 'leases'),
  rule(WRITE, 'resource.k8s.io', 'resourceclaims', 'resourceclaimtemplates'),
];

const ADMIN: readonly PolicyRule[] = [
  rule(['create'], 'authorization.k8s.io', 'localsubjectaccessreviews'),
  rule(ALL, 'rbac.authorization.k8s.io', 'rolebindings', 'roles'),
];

const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const DISCOVERY_PATHS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];
const ISSUER_PATHS = ['/.well-known/openid-configuration', '/.well-known/openid-configuration/'];
const KEY_PATHS = ['/openid/v1/jwks', '/openid/v1/jwks/'];
const HEALTH = ['/healthz', '/livez', '/readyz'];
const MONITORING_PATHS = [...HEALTH, ...HEALTH.map((path) => `${path}/*`), '/metrics', '/metrics/slis'];

const readPaths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

function clusterRole(name: string, more: object, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const metadata = { name, labels: { ...BOOTSTRAPPING, ...labels }, annotations: ANNOTATIONS };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, ...more };
}

const aggregated = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject =>
  clusterRole(
    name,
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE_TO + name]: 'true' } }] }, rules: [] },
    labels,
  );

/** ClusterRoles that clients and charts name. Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go. */
export const DEFAULT_CLUSTER_ROLES: readonly KubeObject[] = [
  clusterRole('cluster-admin', {
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  }),
  aggregated('admin'),
  aggregated('edit', { [`${AGGREGATE_TO}admin`]: 'true' }),
  aggregated('view', { [`${AGGREGATE_TO}edit`]: 'true' }),
  clusterRole('system:aggregate-to-admin', { rules: ADMIN }, { [`${AGGREGATE_TO}admin`]: 'true' }),
  clusterRole('system:aggregate-to-edit', { rules: EDIT }, { [`${AGGREGATE_TO}edit`]: 'true' }),
  clusterRole('system:aggregate-to-view', { rules: VIEW }, { [`${AGGREGATE_TO}view`]: 'true' }),
  clusterRole('system:discovery', { rules: [readPaths(...PUBLIC_PATHS, ...DISCOVERY_PATHS)] }),
  clusterRole('system:public-info-viewer', { rules: [readPaths(...PUBLIC_PATHS)] }),
  clusterRole('system:service-account-issuer-discovery', { rules: [readPaths(...ISSUER_PATHS, ...KEY_PATHS)] }),
  clusterRole('system:monitoring', { rules: [readPaths(...MONITORING_PATHS)] }),
  clusterRole('system:basic-user', {
    rules: [
      rule(['create'], 'authorization.k8s.io', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
      rule(['create'], 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  }),
  clusterRole('system:auth-delegator', {
    rules: [
      rule(['create'], 'authentication.k8s.io', 'tokenreviews'),
      rule(['create'], 'authorization.k8s.io', 'subjectaccessreviews'),
    ],
  }),
  clusterRole('system:kubelet-api-admin', {
    rules: [
      rule(READ, '', 'nodes'),
      rule(['proxy'], '', 'nodes'),
      rule(['*'], '', 'nodes/log', 'nodes/metrics', 'nodes/proxy', 'nodes/stats'),
    ],
  }),
];

function binding(role: string, groups: readonly string[]): KubeObject {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: role, labels: BOOTSTRAPPING, annotations: ANNOTATIONS },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: groups.map((name) => ({ apiGroup, kind: 'Group', name })),
  };
}

/** Members of `system:masters` may do everything; everybody with a name may ask what there is, and about themselves. */
export const DEFAULT_CLUSTER_ROLE_BINDINGS: readonly KubeObject[] = [
  binding('cluster-admin', ['system:masters']),
  binding('system:basic-user', ['system:authenticated']),
  binding('system:discovery', ['system:authenticated']),
  binding('system:monitoring', ['system:monitoring']),
  binding('system:service-account-issuer-discovery', ['system:serviceaccounts']),
  binding('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
];
