import { formatSeconds, type JsonObject, type KubeObject } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ServerContext } from '../base/context.ts';
import { createOnce } from './create-once.ts';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';
const ANNOTATIONS = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

type Queues = readonly [queues: number, handSize: number];

const limited = (shares: number, lendablePercent: number, queues?: Queues): JsonObject => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    lendablePercent,
    limitResponse:
      queues === undefined
        ? { type: 'Reject' }
        : { type: 'Queue', queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 } },
  },
});

const PRIORITY_LEVELS: Readonly<Record<string, JsonObject>> = {
  'catch-all': limited(5, 0),
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'global-default': limited(20, 50, [128, 6]),
  'leader-election': limited(10, 0, [16, 4]),
  'node-high': limited(40, 25, [64, 6]),
  system: limited(30, 33, [64, 6]),
  'workload-high': limited(40, 50, [128, 6]),
  'workload-low': limited(100, 90, [128, 6]),
};

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } });
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } });
const account = (name: string): JsonObject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name },
});

const resources = (verbs: readonly string[], apiGroups: readonly string[], names: readonly string[]): JsonObject => ({
  verbs,
  apiGroups,
  resources: names,
  clusterScope: true,
  namespaces: ['*'],
});
const ALL: JsonObject = {
  resourceRules: [resources(['*'], ['*'], ['*'])],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const LEASES: JsonObject = {
  resourceRules: [
    {
      verbs: ['get', 'create', 'update'],
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      namespaces: ['*'],
    },
  ],
};
const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];
const MANAGER = user('system:kube-controller-manager');
const SCHEDULER = user('system:kube-scheduler');

interface Flow {
  readonly level: string;
  readonly precedence: number;
  /** Undefined: all requests are one flow. */
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly JsonObject[];
  readonly rules: JsonObject;
}

const FLOWS: Readonly<Record<string, Flow>> = {
  'catch-all': { level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: EVERYBODY, rules: ALL },
  'endpoint-controller': {
    level: 'workload-high',
    precedence: 150,
    by: 'ByUser',
    subjects: [MANAGER, account('endpoint-controller'), account('endpointslicemirroring-controller')],
    rules: { resourceRules: [resources(['get', 'create', 'update'], [''], ['endpoints'])] },
  },
  exempt: { level: 'exempt', precedence: 1, subjects: [group('system:masters')], rules: ALL },
  'global-default': { level: 'global-default', precedence: 9900, by: 'ByUser', subjects: EVERYBODY, rules: ALL },
  'kube-controller-manager': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [MANAGER],
    rules: ALL,
  },
  'kube-scheduler': { level: 'workload-high', precedence: 800, by: 'ByNamespace', subjects: [SCHEDULER], rules: ALL },
  'kube-system-service-accounts': {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [account('*')],
    rules: ALL,
  },
  probes: {
    level: 'exempt',
    precedence: 2,
    subjects: EVERYBODY,
    rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  'service-accounts': {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
    rules: ALL,
  },
  'system-leader-election': {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [MANAGER, SCHEDULER],
    rules: LEASES,
  },
  'system-node-high': {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: {
      resourceRules: [
        resources(['*'], [''], ['nodes', 'nodes/status']),
        { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
      ],
    },
  },
  'system-nodes': {
    level: 'system',
    precedence: 500,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: ALL,
  },
  'workload-leader-election': {
    level: 'leader-election',
    precedence: 200,
    by: 'ByUser',
    subjects: [account('*')],
    rules: LEASES,
  },
};

/**
 * The PriorityLevelConfigurations and FlowSchemas that every cluster has, by resource. Nothing here queues requests.
 * Source: apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */
export function defaultFlows(clock: Clock): Readonly<Record<string, readonly KubeObject[]>> {
  const made = (kind: string, name: string): KubeObject => ({
    apiVersion: API_VERSION,
    kind,
    metadata: { name, generation: 1, annotations: ANNOTATIONS },
  });
  const levels = Object.entries(PRIORITY_LEVELS).map(([name, spec]) => {
    return { ...made('PriorityLevelConfiguration', name), spec, status: {} };
  });
  const schemas = Object.entries(FLOWS).map(([name, flow]) => {
    return { ...made('FlowSchema', name), spec: specOf(flow), status: { conditions: [foundLevel(flow, clock)] } };
  });
  return { prioritylevelconfigurations: levels, flowschemas: schemas };
}

/** Makes the PriorityLevelConfigurations and FlowSchemas that are missing. */
export function makeDefaultFlows(context: ServerContext): void {
  for (const [resource, objects] of Object.entries(defaultFlows(context.clock))) {
    for (const object of objects) {
      if (context.objects.get(resource, undefined, object.metadata.name ?? '') === undefined)
        createOnce(context, resource, object);
    }
  }
}

function specOf({ level, precedence, by, subjects, rules }: Flow): JsonObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by !== undefined && { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...rules }],
  };
}

/** Source: apiserver/pkg/util/flowcontrol/apf_controller.go, syncFlowSchemaStatus. */
function foundLevel({ level }: Flow, clock: Clock): JsonObject {
  return {
    type: 'Dangling',
    status: 'False',
    lastTransitionTime: formatSeconds(clock.now().wallMs),
    reason: 'Found',
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
  };
}
