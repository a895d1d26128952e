import { WRITES_EVENTS } from './controller-roles.ts';

const CERTIFICATES = 'certificates.k8s.io';
const RESOURCES = 'resource.k8s.io';
const STORAGE = 'storage.k8s.io';
const APPROVED = ['kube-apiserver-client', 'kube-apiserver-client-kubelet', 'kubelet-serving', 'legacy-unknown'];
const REVIEWS = ['create authentication.k8s.io tokenreviews', 'create authorization.k8s.io subjectaccessreviews'];
const leads = (name: string): string[] => [
  'create coordination.k8s.io leases',
  `get,update coordination.k8s.io leases ${name}`,
];

const INTO_PODS = 'pods/attach,pods/exec,pods/portforward,pods/proxy';
const SCALED = 'replicasets,replicasets/scale,statefulsets,statefulsets/scale';
const OLD_KINDS = 'daemonsets,deployments,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale';
const PUBLIC_PATHS = '/healthz,/livez,/readyz,/version,/version/';

/** The rules that `admin`, `edit` and `view` collect. */
export const COLLECTED_ROLES: Readonly<Record<'admin' | 'edit' | 'view', readonly string[]>> = {
  admin: [
    'create authorization.k8s.io localsubjectaccessreviews',
    'read,write rbac.authorization.k8s.io rolebindings,roles',
  ],
  edit: [
    `read core ${INTO_PODS},secrets,services/proxy`,
    'impersonate core serviceaccounts',
    `write core pods,${INTO_PODS}`,
    'create core pods/eviction',
    'write core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,' +
      'serviceaccounts,services,services/proxy',
    'create core serviceaccounts/token',
    'write core,events.k8s.io events',
    `write apps daemonsets,deployments,deployments/rollback,deployments/scale,${SCALED}`,
    'write autoscaling horizontalpodautoscalers',
    'write batch cronjobs,jobs',
    `write extensions ${OLD_KINDS},deployments/rollback,replicationcontrollers/scale`,
    'write policy poddisruptionbudgets',
    'write networking.k8s.io ingresses,networkpolicies',
    'read,write coordination.k8s.io leases',
    `write ${RESOURCES} resourceclaims,resourceclaimtemplates`,
  ],
  view: [
    'read core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,' +
      'replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status',
    'read core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,' +
      'resourcequotas,resourcequotas/status',
    'read core namespaces',
    'read core,events.k8s.io events',
    'read discovery.k8s.io endpointslices',
    `read apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,` +
      `${SCALED},replicasets/status,statefulsets/status`,
    'read autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status',
    'read batch cronjobs,cronjobs/status,jobs,jobs/status',
    `read extensions ${OLD_KINDS},daemonsets/status,deployments/status,ingresses/status,replicasets/status,` +
      'replicationcontrollers/scale',
    'read policy poddisruptionbudgets,poddisruptionbudgets/status',
    'read networking.k8s.io ingresses,ingresses/status,networkpolicies',
    `read ${RESOURCES} resourceclaims,resourceclaims/status,resourceclaimtemplates`,
  ],
};

/**
 * The rules of the ClusterRoles for users and for the programs of a cluster.
 * Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
 */
export const SYSTEM_ROLES: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['* * *', '* *'],
  'system:auth-delegator': REVIEWS,
  'system:basic-user': [
    'create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews',
    'create authentication.k8s.io selfsubjectreviews',
  ],
  [`system:${CERTIFICATES}:certificatesigningrequests:nodeclient`]: [
    `create ${CERTIFICATES} certificatesigningrequests/nodeclient`,
  ],
  [`system:${CERTIFICATES}:certificatesigningrequests:selfnodeclient`]: [
    `create ${CERTIFICATES} certificatesigningrequests/selfnodeclient`,
  ],
  ...Object.fromEntries(
    APPROVED.map((signer) => [
      `system:${CERTIFICATES}:${signer}-approver`,
      [`approve ${CERTIFICATES} signers kubernetes.io/${signer}`],
    ]),
  ),
  'system:discovery': [`get ${PUBLIC_PATHS},/api,/api/*,/apis,/apis/*,/openapi,/openapi/*`],
  'system:heapster': ['read core events,namespaces,nodes,pods', 'read extensions deployments'],
  'system:kube-aggregator': ['read core endpoints,services'],
  'system:kube-controller-manager': [
    WRITES_EVENTS,
    ...leads('kube-controller-manager'),
    'create core secrets,serviceaccounts',
    'delete core secrets',
    'get core configmaps,namespaces,secrets,serviceaccounts',
    'update core secrets,serviceaccounts',
    ...REVIEWS,
    'list,watch * *',
    'create core serviceaccounts/token',
  ],
  'system:kube-dns': ['list,watch core endpoints,services'],
  'system:kube-scheduler': [
    WRITES_EVENTS,
    ...leads('kube-scheduler'),
    'read core nodes',
    'delete,read core pods',
    'create core bindings,pods/binding',
    'patch,update core pods/status',
    'read core replicationcontrollers,services',
    'read apps,extensions replicasets',
    'read apps statefulsets',
    'read policy poddisruptionbudgets',
    'read core persistentvolumeclaims,persistentvolumes',
    ...REVIEWS,
    `read ${STORAGE} csinodes`,
    'read core namespaces',
    `read ${STORAGE} csidrivers`,
    `read ${STORAGE} csistoragecapacities`,
    `read ${STORAGE} volumeattachments`,
    `read ${RESOURCES} deviceclasses`,
    `patch,read,update ${RESOURCES} resourceclaims`,
    `patch,read,update ${RESOURCES} resourceclaims/status`,
    'patch,read,update core pods/finalizers',
    `read ${RESOURCES} resourceslices`,
    `read ${RESOURCES} devicetaintrules`,
  ],
  'system:kubelet-api-admin': [
    'read core nodes',
    'proxy core nodes',
    '* core nodes/log,nodes/metrics,nodes/proxy,nodes/stats',
  ],
  'system:monitoring': ['get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*'],
  'system:node': [
    'create authentication.k8s.io tokenreviews',
    'create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews',
    'read core services',
    'create,read core nodes',
    'patch,update core nodes/status',
    'patch,update core nodes',
    WRITES_EVENTS,
    'read core pods',
    'create,delete core pods',
    'patch,update core pods/status',
    'create core pods/eviction',
    'read core configmaps,secrets',
    'get core persistentvolumeclaims,persistentvolumes',
    'get core endpoints',
    `create,read ${CERTIFICATES} certificatesigningrequests`,
    'create,delete,get,patch,update coordination.k8s.io leases',
    `get ${STORAGE} volumeattachments`,
    'create core serviceaccounts/token',
    'get,patch,update core persistentvolumeclaims/status',
    `read ${STORAGE} csidrivers`,
    `create,delete,get,patch,update ${STORAGE} csinodes`,
    'read node.k8s.io runtimeclasses',
    `get ${RESOURCES} resourceclaims`,
    `deletecollection ${RESOURCES} resourceslices`,
    'get core serviceaccounts',
  ],
  'system:node-bootstrapper': [`create,read ${CERTIFICATES} certificatesigningrequests`],
  'system:node-problem-detector': ['get core nodes', 'patch core nodes/status', WRITES_EVENTS],
  'system:node-proxier': [
    'list,watch core endpoints,services',
    'read core nodes',
    WRITES_EVENTS,
    'list,watch discovery.k8s.io endpointslices',
    'list,watch networking.k8s.io servicecidrs',
  ],
  'system:persistent-volume-provisioner': [
    'create,delete,read core persistentvolumes',
    'read,update core persistentvolumeclaims',
    `read ${STORAGE} storageclasses`,
    'watch core events',
    WRITES_EVENTS,
  ],
  'system:public-info-viewer': [`get ${PUBLIC_PATHS}`],
  'system:service-account-issuer-discovery': [
    'get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/',
  ],
  'system:volume-scheduler': [
    'patch,read,update core persistentvolumes',
    `read ${STORAGE} storageclasses`,
    'patch,read,update core persistentvolumeclaims',
  ],
};

/**
 * The subjects of the ClusterRoleBindings with the names of their ClusterRoles: `Group NAME`, `User NAME`, or
 * `ServiceAccount NAME` in kube-system.
 */
export const SYSTEM_BINDINGS: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['Group system:masters'],
  'system:basic-user': ['Group system:authenticated'],
  'system:discovery': ['Group system:authenticated'],
  'system:kube-controller-manager': ['User system:kube-controller-manager'],
  'system:kube-dns': ['ServiceAccount kube-dns'],
  'system:kube-scheduler': ['User system:kube-scheduler'],
  'system:monitoring': ['Group system:monitoring'],
  'system:node': [],
  'system:node-proxier': ['User system:kube-proxy'],
  'system:public-info-viewer': ['Group system:authenticated', 'Group system:unauthenticated'],
  'system:service-account-issuer-discovery': ['Group system:serviceaccounts'],
  'system:volume-scheduler': ['User system:kube-scheduler'],
};

/** A Role of a namespace, and who has it. */
interface NamespaceRole {
  readonly namespace: string;
  readonly role: string;
  readonly rules: readonly string[];
  readonly subjects: readonly string[];
  /** The name of the RoleBinding. Undefined: the name of the Role. */
  readonly binding?: string;
}

const system = (role: string, rules: readonly string[], subjects: readonly string[]): NamespaceRole => ({
  namespace: 'kube-system',
  role,
  rules,
  subjects,
});
const locks = (program: string): NamespaceRole =>
  system(
    `system::leader-locking-${program}`,
    ['watch core configmaps', `get,update core configmaps ${program}`],
    [`User system:${program}`, `ServiceAccount ${program}`],
  );

const READER = 'extension-apiserver-authentication-reader';
const SIGNER = 'bootstrap-signer';

/** The Roles and RoleBindings of namespaces. Source: …/bootstrappolicy/namespace_policy.go. */
export const NAMESPACE_ROLES: readonly NamespaceRole[] = [
  {
    ...system(
      READER,
      ['read core configmaps extension-apiserver-authentication'],
      ['User system:kube-controller-manager', 'User system:kube-scheduler'],
    ),
    binding: `system::${READER}`,
  },
  system(`system:controller:${SIGNER}`, ['read core secrets'], [`ServiceAccount ${SIGNER}`]),
  system('system:controller:cloud-provider', ['create,read core configmaps'], ['ServiceAccount cloud-provider']),
  system(
    'system:controller:token-cleaner',
    ['delete,read core secrets', WRITES_EVENTS],
    ['ServiceAccount token-cleaner'],
  ),
  locks('kube-controller-manager'),
  locks('kube-scheduler'),
  {
    namespace: 'kube-public',
    role: `system:controller:${SIGNER}`,
    rules: ['read core configmaps', 'update core configmaps cluster-info', WRITES_EVENTS],
    subjects: [`ServiceAccount ${SIGNER}`],
  },
];
