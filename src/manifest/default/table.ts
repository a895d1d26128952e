import { isJsonObject, type NodeSystemInfo, ownValue } from '../../api/index.ts';
import { fillAbsent } from './fill.ts';

/** Defaults of the objects at a path, or a function of each. */
type Defaults = object | ((part: Record<string, unknown>) => object);

/** A path of objects: `webhooks[].rules[]` is each object in the lists. */
type DefaultsRow = readonly [path: string, defaults: Defaults];

const MATCH = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
const RULE = { scope: '*' };
const WEBHOOK = { ...MATCH, failurePolicy: 'Fail', timeoutSeconds: 10 };
const HTTPS = { port: 443 };

const matchRows = (path: string): DefaultsRow[] => [
  [path, MATCH],
  [`${path}.resourceRules[]`, RULE],
  [`${path}.excludeResourceRules[]`, RULE],
];
const webhookRows = (defaults: object): DefaultsRow[] => [
  ['webhooks[]', defaults],
  ['webhooks[].rules[]', RULE],
  ['webhooks[].clientConfig.service', HTTPS],
];

const CPU_AT_80 = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const FOURFOLD = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const DOWN_TO_NONE = [{ type: 'Percent', value: 100, periodSeconds: 15 }];

const EXACT = { allocationMode: 'ExactCount' };
const deviceRows = (path: string): DefaultsRow[] =>
  [`${path}.devices.requests[].exactly`, `${path}.devices.requests[].firstAvailable[]`].flatMap(
    (request): DefaultsRow[] => [
      [request, EXACT],
      [request, ({ allocationMode }) => (allocationMode === 'ExactCount' ? { count: 1 } : {})],
      [`${request}.tolerations[]`, { operator: 'Equal' }],
    ],
  );

/** The machine of a node that has not reported it, as Go writes it. Source: k8s.io/api/core/v1, NodeSystemInfo. */
export const EMPTY_NODE_INFO: Readonly<Omit<NodeSystemInfo, 'swap'>> = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
};

/** The times of conditions that Go writes also when they are unset. Source: k8s.io/api, the types of conditions. */
const CHANGED: DefaultsRow = ['status.conditions[]', { lastTransitionTime: null }];
const PROBED: DefaultsRow = ['status.conditions[]', { lastProbeTime: null, lastTransitionTime: null }];

/**
 * The defaults of kinds that have one value for each field. A field that Go writes also when it is empty is among them.
 * Source: the files defaults.go of pkg/apis/{admissionregistration,autoscaling,flowcontrol,resource,storage}, and of
 * kube-aggregator.
 */
const ROWS: Readonly<Record<string, readonly DefaultsRow[]>> = {
  APIService: [['spec.service', HTTPS], CHANGED],
  CSIDriver: [
    ['', { spec: {} }],
    [
      'spec',
      {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
      },
    ],
  ],
  CSINode: [['spec.drivers[]', { topologyKeys: null }]],
  Event: [
    [
      '',
      {
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: null,
        reportingComponent: '',
        reportingInstance: '',
      },
    ],
  ],
  ClusterRole: [['', { rules: null }]],
  FlowSchema: [['spec', { matchingPrecedence: 1000 }], CHANGED],
  HorizontalPodAutoscaler: [
    ['spec', { minReplicas: 1, metrics: [CPU_AT_80] }],
    ['spec.behavior', { scaleUp: {}, scaleDown: {} }],
    ['spec.behavior.scaleUp', { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: FOURFOLD }],
    ['spec.behavior.scaleDown', { selectPolicy: 'Max', policies: DOWN_TO_NONE }],
    ['status', { desiredReplicas: 0, currentMetrics: null }],
    CHANGED,
  ],
  MutatingAdmissionPolicy: [['spec', { failurePolicy: 'Fail' }], ...matchRows('spec.matchConstraints')],
  MutatingAdmissionPolicyBinding: matchRows('spec.matchResources'),
  MutatingWebhookConfiguration: webhookRows({ ...WEBHOOK, reinvocationPolicy: 'Never' }),
  Node: [
    ['', { status: {} }],
    ['spec', ({ podCIDR }) => (podCIDR ? { podCIDRs: [podCIDR] } : {})],
    ['status', ({ capacity }) => (capacity === undefined ? {} : { allocatable: capacity })],
    ['status', { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} }],
    ['status.nodeInfo', EMPTY_NODE_INFO],
    ['status.conditions[]', { lastHeartbeatTime: null, lastTransitionTime: null }],
  ],
  PersistentVolumeClaim: [PROBED],
  Pod: [PROBED],
  PriorityLevelConfiguration: [
    ['spec.limited', { nominalConcurrencyShares: 30, lendablePercent: 0 }],
    ['spec.limited.limitResponse.queuing', { queues: 64, handSize: 8, queueLengthLimit: 50 }],
    ['spec.exempt', { nominalConcurrencyShares: 0, lendablePercent: 0 }],
    CHANGED,
  ],
  ResourceClaim: deviceRows('spec'),
  ResourceClaimTemplate: [['spec', { metadata: {} }], ...deviceRows('spec.spec')],
  Role: [['', { rules: null }]],
  ValidatingAdmissionPolicy: [['spec', { failurePolicy: 'Fail' }], ...matchRows('spec.matchConstraints')],
  ValidatingAdmissionPolicyBinding: matchRows('spec.matchResources'),
  ValidatingWebhookConfiguration: webhookRows(WEBHOOK),
};

/** The object with the defaults of its kind, if this table has any. */
export function defaultByTable<T extends { readonly kind: string }>(object: T): T {
  let filled: unknown = object;
  for (const [path, defaults] of ownValue(ROWS, object.kind) ?? []) filled = filledAt(filled, path, defaults);
  return filled as T;
}

function filledAt(value: unknown, path: string, defaults: Defaults): unknown {
  if (!isJsonObject(value)) return value;
  if (path === '') return fillAbsent(value, typeof defaults === 'function' ? defaults(value) : defaults);
  const dot = path.indexOf('.');
  const [field, rest] = dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
  const name = field.replace(/\[\]$/, '');
  const inner = value[name];
  if (inner === undefined) return value;
  const isList = field !== name && Array.isArray(inner);
  return {
    ...value,
    [name]: isList ? inner.map((item: unknown) => filledAt(item, rest, defaults)) : filledAt(inner, rest, defaults),
  };
}
