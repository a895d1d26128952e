import type { JsonObject } from '../../api/index.ts';
import { EMPTY_NODE_INFO } from '../../manifest/index.ts';

const TEMPLATE = { metadata: {}, spec: { containers: null } };
const ROLE = { roleRef: { apiGroup: '', kind: '', name: '' } };
const SPEC = { spec: {} };
const SPEC_AND_STATUS = { spec: {}, status: {} };
const DEVICES = { devices: { requests: null } };
const BALANCED = { spec: {}, status: { loadBalancer: {} } };
const SCALED = { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };
const DEFINED = { plural: '', kind: '' };

/**
 * The fields that an object without any has as JSON of Go, by version and plural: Go writes them also when they are
 * empty. Kinds without such fields are not here. Source: the types of k8s.io/api.
 */
const ZERO_FIELDS: Readonly<Record<string, JsonObject>> = {
  'v1/events': {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  'v1/limitranges': { spec: { limits: null } },
  'v1/namespaces': SPEC_AND_STATUS,
  'v1/nodes': {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: EMPTY_NODE_INFO,
    },
  },
  'v1/persistentvolumeclaims': { spec: { resources: {} }, status: {} },
  'v1/persistentvolumes': SPEC_AND_STATUS,
  'v1/pods': { spec: { containers: null }, status: {} },
  'v1/podtemplates': { template: TEMPLATE },
  'v1/replicationcontrollers': { spec: { replicas: 0 }, status: { replicas: 0 } },
  'v1/resourcequotas': SPEC_AND_STATUS,
  'v1/services': BALANCED,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': SPEC,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': SPEC,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': SPEC_AND_STATUS,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': SPEC,
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    spec: { group: '', names: DEFINED, scope: '', versions: null },
    status: { conditions: null, acceptedNames: DEFINED, storedVersions: null },
  },
  'apiregistration.k8s.io/v1/apiservices': { spec: { groupPriorityMinimum: 0, versionPriority: 0 }, status: {} },
  'apps/v1/controllerrevisions': { data: null, revision: 0 },
  'apps/v1/daemonsets': {
    spec: { selector: null, template: TEMPLATE, updateStrategy: {} },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  },
  'apps/v1/deployments': { spec: { replicas: 0, selector: null, template: TEMPLATE, strategy: {} }, status: {} },
  'apps/v1/replicasets': { spec: { replicas: 0, selector: null, template: TEMPLATE }, status: { replicas: 0 } },
  'apps/v1/statefulsets': {
    spec: { replicas: 0, selector: null, template: TEMPLATE, serviceName: '', updateStrategy: {} },
    status: { replicas: 0, availableReplicas: 0 },
  },
  'autoscaling/v1/horizontalpodautoscalers': { spec: SCALED, status: { currentReplicas: 0, desiredReplicas: 0 } },
  'autoscaling/v2/horizontalpodautoscalers': { spec: SCALED, status: { desiredReplicas: 0, currentMetrics: null } },
  'batch/v1/cronjobs': {
    spec: { schedule: '', jobTemplate: { metadata: {}, spec: { template: TEMPLATE } } },
    status: {},
  },
  'batch/v1/jobs': { spec: { template: TEMPLATE }, status: {} },
  'certificates.k8s.io/v1/certificatesigningrequests': { spec: { request: null, signerName: '' }, status: {} },
  'coordination.k8s.io/v1/leases': SPEC,
  'discovery.k8s.io/v1/endpointslices': { addressType: '', endpoints: null, ports: null },
  'events.k8s.io/v1/events': {
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': {
    spec: { priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0 },
    status: {},
  },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': { spec: { type: '' }, status: {} },
  'networking.k8s.io/v1/ingressclasses': SPEC,
  'networking.k8s.io/v1/ingresses': BALANCED,
  'networking.k8s.io/v1/ipaddresses': { spec: { parentRef: null } },
  'networking.k8s.io/v1/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/v1/servicecidrs': SPEC_AND_STATUS,
  'node.k8s.io/v1/runtimeclasses': { handler: '' },
  'policy/v1/poddisruptionbudgets': {
    spec: {},
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': ROLE,
  'rbac.authorization.k8s.io/v1/clusterroles': { rules: null },
  'rbac.authorization.k8s.io/v1/rolebindings': ROLE,
  'rbac.authorization.k8s.io/v1/roles': { rules: null },
  'resource.k8s.io/v1/deviceclasses': SPEC,
  'resource.k8s.io/v1/resourceclaims': { spec: DEVICES, status: {} },
  'resource.k8s.io/v1/resourceclaimtemplates': { spec: { metadata: {}, spec: DEVICES } },
  'resource.k8s.io/v1/resourceslices': {
    spec: { driver: '', pool: { name: '', generation: 0, resourceSliceCount: 0 } },
  },
  'scheduling.k8s.io/v1/priorityclasses': { value: 0 },
  'storage.k8s.io/v1/csidrivers': SPEC,
  'storage.k8s.io/v1/csinodes': { spec: { drivers: null } },
  'storage.k8s.io/v1/csistoragecapacities': { storageClassName: '' },
  'storage.k8s.io/v1/storageclasses': { provisioner: '' },
  'storage.k8s.io/v1/volumeattachments': {
    spec: { attacher: '', source: {}, nodeName: '' },
    status: { attached: false },
  },
  'storage.k8s.io/v1/volumeattributesclasses': { driverName: '' },
};

/** The fields of an empty object of a kind beside its metadata: a bookmark is one. */
export function zeroFields(apiVersion: string, plural: string): JsonObject {
  return ZERO_FIELDS[`${apiVersion}/${plural}`] ?? {};
}
