import type { JsonObject } from './base/json.ts';

/** A kind of object on the command line. */
export interface ResourceType {
  /** The plural in messages, and in the store unless the type is custom: `pods`. */
  readonly plural: string;
  readonly kind: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** The further names: `pod`, `po`. */
  readonly aliases: readonly string[];
  /** True when its objects belong to a namespace. */
  readonly isNamespaced: boolean;
  /** True when `all` includes it. */
  readonly inAll: boolean;
  /** Undefined: a kind of Kubernetes. */
  readonly custom?: CustomResourceType;
}

/** The part of a type that a CustomResourceDefinition says. */
export interface CustomResourceType {
  /** The name of its objects in the store: `widgets.example.com`. */
  readonly storage: string;
  /** The columns of `get` beside the name. Empty: the age. */
  readonly columns: readonly DefinitionColumn[];
  /** The schema of its version: `JSONSchemaProps`. */
  readonly schema: JsonObject;
}

/** A column that a CustomResourceDefinition asks for. */
export interface DefinitionColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** A JSON path: `.spec.replicas`. */
  readonly jsonPath: string;
  /** Above 0: only `-o wide` shows it. */
  readonly priority?: number;
}

const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  'IngressClass',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
]);

function core(kind: string, plural: string, shortNames: readonly string[]): ResourceType {
  const aliases = [kind.toLowerCase(), ...shortNames];
  return {
    plural,
    kind,
    apiVersion: 'v1',
    aliases,
    isNamespaced: !CLUSTER_SCOPED.has(kind),
    inAll: false,
  };
}

/** A kind that `all` includes. */
function inAll(apiVersion: string, kind: string, shortNames: readonly string[]): ResourceType {
  return { ...core(kind, `${kind.toLowerCase()}s`, shortNames), apiVersion, inAll: true };
}

const NETWORKING = 'networking.k8s.io/v1';

/** The kinds that the store keeps, in the order of `get all`. Names and short names as in `kubectl api-resources`. */
const RESOURCE_TYPES: readonly ResourceType[] = [
  inAll('v1', 'Pod', ['po']),
  inAll('v1', 'ReplicationController', ['rc']),
  inAll('v1', 'Service', ['svc']),
  inAll('apps/v1', 'DaemonSet', ['ds']),
  inAll('apps/v1', 'Deployment', ['deploy']),
  inAll('apps/v1', 'ReplicaSet', ['rs']),
  inAll('apps/v1', 'StatefulSet', ['sts']),
  inAll('autoscaling/v2', 'HorizontalPodAutoscaler', ['hpa']),
  inAll('batch/v1', 'CronJob', ['cj']),
  inAll('batch/v1', 'Job', []),
  { ...inAll('apps/v1', 'ControllerRevision', []), inAll: false },
  core('ConfigMap', 'configmaps', ['cm']),
  core('Endpoints', 'endpoints', ['ep']),
  { ...core('EndpointSlice', 'endpointslices', []), apiVersion: 'discovery.k8s.io/v1' },
  core('Event', 'events', ['ev']),
  core('LimitRange', 'limitranges', ['limits']),
  core('Namespace', 'namespaces', ['ns']),
  core('Node', 'nodes', ['no']),
  core('PersistentVolume', 'persistentvolumes', ['pv']),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', ['pvc']),
  core('PodTemplate', 'podtemplates', []),
  core('ResourceQuota', 'resourcequotas', ['quota']),
  core('Secret', 'secrets', []),
  core('ServiceAccount', 'serviceaccounts', ['sa']),
  { ...core('Ingress', 'ingresses', ['ing']), apiVersion: NETWORKING },
  { ...core('IngressClass', 'ingressclasses', []), apiVersion: NETWORKING },
  { ...core('NetworkPolicy', 'networkpolicies', ['netpol']), apiVersion: NETWORKING },
  { ...core('PodDisruptionBudget', 'poddisruptionbudgets', ['pdb']), apiVersion: 'policy/v1' },
  { ...core('PriorityClass', 'priorityclasses', ['pc']), apiVersion: 'scheduling.k8s.io/v1' },
  { ...core('RuntimeClass', 'runtimeclasses', []), apiVersion: 'node.k8s.io/v1' },
];

/** Rows of kinds of one group: the kind, its plural, its short names. */
function servedOnly(
  apiVersion: string,
  isNamespaced: boolean,
  rows: ReadonlyArray<readonly [kind: string, plural: string, ...shortNames: string[]]>,
): ResourceType[] {
  return rows.map(([kind, plural, ...shortNames]) => ({ ...core(kind, plural, shortNames), apiVersion, isNamespaced }));
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const RESOURCE = 'resource.k8s.io/v1';
const STORAGE = 'storage.k8s.io/v1';

/**
 * The kinds that only clients of `podrun serve` write. The verbs know them as kubectl does; podrun itself acts on none.
 * A test compares them with what the server serves.
 */
const SERVED_ONLY: readonly ResourceType[] = [
  ...servedOnly('admissionregistration.k8s.io/v1', false, [
    ['MutatingAdmissionPolicy', 'mutatingadmissionpolicies'],
    ['MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings'],
    ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
    ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies'],
    ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'],
    ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
  ]),
  ...servedOnly('apiextensions.k8s.io/v1', false, [
    ['CustomResourceDefinition', 'customresourcedefinitions', 'crd', 'crds'],
  ]),
  ...servedOnly('apiregistration.k8s.io/v1', false, [['APIService', 'apiservices']]),
  ...servedOnly('certificates.k8s.io/v1', false, [['CertificateSigningRequest', 'certificatesigningrequests', 'csr']]),
  ...servedOnly('coordination.k8s.io/v1', true, [['Lease', 'leases']]),
  ...servedOnly('flowcontrol.apiserver.k8s.io/v1', false, [
    ['FlowSchema', 'flowschemas'],
    ['PriorityLevelConfiguration', 'prioritylevelconfigurations'],
  ]),
  ...servedOnly(NETWORKING, false, [
    ['IPAddress', 'ipaddresses', 'ip'],
    ['ServiceCIDR', 'servicecidrs'],
  ]),
  ...servedOnly(RBAC, false, [
    ['ClusterRole', 'clusterroles'],
    ['ClusterRoleBinding', 'clusterrolebindings'],
  ]),
  ...servedOnly(RBAC, true, [
    ['Role', 'roles'],
    ['RoleBinding', 'rolebindings'],
  ]),
  ...servedOnly(RESOURCE, false, [
    ['DeviceClass', 'deviceclasses'],
    ['ResourceSlice', 'resourceslices'],
  ]),
  ...servedOnly(RESOURCE, true, [
    ['ResourceClaim', 'resourceclaims'],
    ['ResourceClaimTemplate', 'resourceclaimtemplates'],
  ]),
  ...servedOnly(STORAGE, false, [
    ['CSIDriver', 'csidrivers'],
    ['CSINode', 'csinodes'],
    ['StorageClass', 'storageclasses', 'sc'],
    ['VolumeAttachment', 'volumeattachments'],
    ['VolumeAttributesClass', 'volumeattributesclasses', 'vac'],
  ]),
  ...servedOnly(STORAGE, true, [['CSIStorageCapacity', 'csistoragecapacities']]),
];

const KNOWN: readonly ResourceType[] = [...RESOURCE_TYPES, ...SERVED_ONLY];

/** The type with this name, in upper or lower case: `pods`, `pod`, `po`, `deployments.apps`, `deployments.v1.apps`. */
export function resourceTypeNamed(word: string, types: readonly ResourceType[] = KNOWN): ResourceType | undefined {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  return types.find((type) => {
    if (type.plural !== name && !type.aliases.includes(name)) return false;
    const [group = '', version = ''] = type.apiVersion.includes('/')
      ? type.apiVersion.split('/')
      : ['', type.apiVersion];
    return [[], [group], [version, group].filter(Boolean)].some((suffix) => suffix.join('.') === rest.join('.'));
  });
}

/** The name of the objects of a type in the store. */
export function storageOf({ custom, plural }: Pick<ResourceType, 'custom' | 'plural'>): string {
  return custom?.storage ?? plural;
}

/** All types that podrun acts on. */
export function everyResourceType(): readonly ResourceType[] {
  return RESOURCE_TYPES;
}

/** The plurals of the types whose objects bring their namespace into being. Events outlive what they are about. */
export function namespacedResources(): readonly string[] {
  return RESOURCE_TYPES.filter(({ isNamespaced, kind }) => isNamespaced && kind !== 'Event').map(
    ({ plural }) => plural,
  );
}

/** The types that the verbs know: types that podrun acts on, and types that only clients of `podrun serve` write. */
export function everyKnownType(): readonly ResourceType[] {
  return KNOWN;
}

/** The types in `all`. */
export function allResourceTypes(): readonly ResourceType[] {
  return RESOURCE_TYPES.filter(({ inAll }) => inAll);
}

/** The type of an object in a manifest. For a kind that nothing here knows, the plural is guessed. */
export function resourceTypeOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): ResourceType {
  const known = KNOWN.find((type) => type.kind === kind && type.apiVersion === apiVersion);
  return known ?? { plural: `${kind.toLowerCase()}s`, kind, apiVersion, aliases: [], isNamespaced: true, inAll: false };
}

/** The plural in messages, with the group if there is one: `pods`, `deployments.apps`. */
export function qualifiedPlural({ plural, apiVersion }: ResourceType): string {
  return plural + groupSuffix(apiVersion);
}

/** True for a resource whose objects belong to no namespace. */
export function isClusterScoped(plural: string): boolean {
  return KNOWN.find((type) => type.plural === plural)?.isNamespaced === false;
}

/** The kind in messages: `pod`, `deployment.apps`. */
export function qualifiedKind({ kind, apiVersion }: Pick<ResourceType, 'kind' | 'apiVersion'>): string {
  return kind.toLowerCase() + groupSuffix(apiVersion);
}

function groupSuffix(apiVersion: string): string {
  return apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
}
