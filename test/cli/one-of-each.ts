import { everyKnownType, type ResourceType } from '../../src/api/index.ts';
import { applyDefaults, asCreated, prepareForCreate } from '../../src/manifest/index.ts';
import { newUid } from '../../src/store/index.ts';
import { storeOf } from './prepared-store.ts';
import type { Workshop } from './workshop.ts';

type Fields = Readonly<Record<string, unknown>>;

const container = { name: 'main', image: 'busybox' };
const template = { metadata: { labels: { app: 'one' } }, spec: { containers: [container] } };
const selector = { matchLabels: { app: 'one' } };
const job = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
const expression = { expression: 'true' };
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
const webhook = {
  name: 'one.example.com',
  clientConfig: { url: 'https://192.0.2.1/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: matchConstraints.resourceRules,
};
const PEM = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nb25l\n-----END CERTIFICATE REQUEST-----\n').toString(
  'base64',
);
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

/** The fields of a valid object of each kind. A kind that is not here needs none. */
const FIELDS: Readonly<Record<string, Fields>> = {
  APIService: { spec: { group: 'one.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 } },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: 'one' },
  CertificateSigningRequest: { spec: { signerName: 'example.com/one', usages: ['client auth'], request: PEM } },
  ControllerRevision: { revision: 1, data: {} },
  CronJob: { spec: { schedule: '0 0 * * *', jobTemplate: { spec: job } } },
  CustomResourceDefinition: {
    spec: {
      group: 'one.example.com',
      scope: 'Namespaced',
      names: { plural: 'ones', singular: 'one', kind: 'One' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: { type: 'integer', maximum: 9 }, color: { type: 'string', default: 'red' } },
                },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  },
  DaemonSet: { spec: { selector, template } },
  Deployment: { spec: { selector, template } },
  DeviceClass: { spec: {} },
  EndpointSlice: { addressType: 'IPv4', endpoints: [] },
  Event: { involvedObject: { kind: 'Pod', name: 'one', namespace: 'default' }, reason: 'Test', type: 'Normal' },
  FlowSchema: {
    spec: { priorityLevelConfiguration: { name: 'one' }, matchingPrecedence: 9, rules: [] },
  },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'one' } },
  },
  IPAddress: { spec: { parentRef: { resource: 'services', name: 'one', namespace: 'default' } } },
  Ingress: { spec: { defaultBackend: { service: { name: 'one', port: { number: 80 } } } } },
  IngressClass: { spec: { controller: 'example.com/one' } },
  Job: { spec: job },
  Lease: { spec: { leaseDurationSeconds: 9 } },
  LimitRange: { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      failurePolicy: 'Fail',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: 'one' } },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  NetworkPolicy: { spec: { podSelector: {} } },
  One: { spec: { size: 3, color: 'red' } },
  PersistentVolume: {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp' },
      storageClassName: 'x',
    },
  },
  PersistentVolumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
  },
  Pod: { spec: template.spec, metadata: template.metadata },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  PodTemplate: { template },
  PriorityClass: { value: 5 },
  PriorityLevelConfiguration: {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  ReplicaSet: { spec: { selector, template } },
  ReplicationController: { spec: { selector: { app: 'one' }, template } },
  ResourceClaim: { spec: {} },
  ResourceClaimTemplate: { spec: { spec: {} } },
  ResourceQuota: { spec: { hard: { pods: '9' } } },
  ResourceSlice: {
    spec: { driver: 'one.example.com', pool: { name: 'one', generation: 1, resourceSliceCount: 1 }, allNodes: true },
  },
  ClusterRole: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ClusterRoleBinding: { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'one', namespace: 'default' }] },
  Role: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  RoleBinding: { roleRef, subjects: [{ kind: 'User', name: 'one', apiGroup: 'rbac.authorization.k8s.io' }] },
  RuntimeClass: { handler: 'one' },
  Service: { spec: { clusterIP: 'None', ports: [{ port: 80 }] } },
  ServiceCIDR: { spec: { cidrs: ['192.0.2.0/24'] } },
  StatefulSet: { spec: { selector, template, serviceName: 'one' } },
  StorageClass: { provisioner: 'example.com/one' },
  ValidatingAdmissionPolicy: { spec: { matchConstraints, validations: [expression] } },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: 'one', validationActions: ['Deny'] } },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
  VolumeAttachment: { spec: { attacher: 'one', nodeName: 'one', source: { persistentVolumeName: 'one' } } },
  VolumeAttributesClass: { driverName: 'one', parameters: { a: 'b' } },
};

/** The kinds whose names follow from their fields. */
const NAMES: Readonly<Record<string, string>> = {
  APIService: 'v1.one.example.com',
  CustomResourceDefinition: 'ones.one.example.com',
  IPAddress: '192.0.2.1',
};

/** The kind of the definition that is in the store. */
const CUSTOM: ResourceType = {
  plural: 'ones',
  kind: 'One',
  apiVersion: 'one.example.com/v1',
  aliases: [],
  isNamespaced: true,
  inAll: false,
};

/** Every kind that the store may hold, but for Nodes, which are this machine, with the name of its object. */
export const EVERY_KIND: ReadonlyArray<{ readonly type: ResourceType; readonly name: string }> = [
  ...everyKnownType().filter(({ kind }) => kind !== 'Node'),
  CUSTOM,
].map((type) => ({ type, name: NAMES[type.kind] ?? 'one' }));

/** Stores an object of each kind, as the API server does. */
export function putOneOfEach(workshop: Workshop): void {
  const store = storeOf(workshop);
  for (const { type, name } of EVERY_KIND) {
    const { apiVersion, kind, plural } = type;
    const { metadata = {}, ...fields } = FIELDS[kind] ?? {};
    const object = { apiVersion, kind, metadata: { ...(metadata as object), name }, ...fields };
    const storage = type === CUSTOM ? (NAMES['CustomResourceDefinition'] ?? '') : plural;
    const hasSchema = type === CUSTOM || kind === 'CustomResourceDefinition';
    const whole = hasSchema ? object : prepareForCreate(applyDefaults(object));
    store.create(storage, asCreated(whole, newUid));
  }
}
