import type { StoredEvent, StoredKubeObject, StoredPod } from '../../api/objects.ts';
import { alignWithEvents, eventsAbout } from './describe-events.ts';
import { describePod } from './describe-pod.ts';
import { describeAnyKind } from './kinds/any-kind.ts';
import { describeClaim } from './kinds/claim.ts';
import { describeConfigMap, describeSecret } from './kinds/config.ts';
import { describeEndpointSlice } from './kinds/endpoint-slice.ts';
import { describeEndpoints } from './kinds/endpoints-object.ts';
import { describeIngress, describeIngressClass } from './kinds/ingress.ts';
import { describeNamespace } from './kinds/namespace.ts';
import { describeNetworkPolicy } from './kinds/network-policy.ts';
import { describeNode } from './kinds/node.ts';
import { describeBudget, describePriorityClass } from './kinds/policies.ts';
import { describeLimitRange, describeQuota } from './kinds/quotas.ts';
import { describePersistentVolume } from './kinds/persistent-volume.ts';
import { describeServiceAccount } from './kinds/service-account.ts';
import { describeService } from './kinds/service.ts';
import { describeDeployment } from './workloads/deployment.ts';
import { describeCronJob, describeJob } from './workloads/job.ts';
import { describeReplicaSet, describeReplicationController } from './workloads/replica-set.ts';
import { describeDaemonSet, describeStatefulSet } from './workloads/sets.ts';

/** Facts for `describe` that are not in the object itself. */
export interface DescribeContext {
  /** Events about any objects. Undefined for `--show-events=false`. */
  readonly events: readonly StoredEvent[] | undefined;
  /** Lists objects around the object: those of its namespace, or of all namespaces for an object without one. */
  readonly list: <T>(resource: string) => readonly T[];
  /** The current time for ages, milliseconds since 1970. */
  readonly nowMs: number;
}

/** The lines about an object, without its events. */
type Describe = (object: never, context: DescribeContext) => readonly string[];

/** The kinds besides Pods that kubectl describes in a form of their own. */
const KINDS: Readonly<Record<string, Describe>> = {
  Job: describeJob,
  CronJob: describeCronJob,
  Deployment: (deployment, { list }) => describeDeployment(deployment, list('replicasets')),
  ReplicaSet: (replicaSet, { list }) => describeReplicaSet(replicaSet, list('pods')),
  ReplicationController: (controller, { list }) => describeReplicationController(controller, list('pods')),
  StatefulSet: (set, { list }) => describeStatefulSet(set, list('pods')),
  DaemonSet: (set, { list }) => describeDaemonSet(set, list('pods')),
  ConfigMap: describeConfigMap,
  Secret: describeSecret,
  Service: (service, { list }) => describeService(service, { slices: list('endpointslices'), pods: list('pods') }),
  Endpoints: describeEndpoints,
  EndpointSlice: describeEndpointSlice,
  PersistentVolumeClaim: (claim, { list }) => describeClaim(claim, list('pods')),
  PersistentVolume: (volume, { nowMs }) => describePersistentVolume(volume, nowMs),
  ServiceAccount: (account, { list }) => describeServiceAccount(account, list('secrets')),
  Namespace: (namespace, { list }) =>
    describeNamespace(namespace, { quotas: list('resourcequotas'), limits: list('limitranges') }),
  ResourceQuota: describeQuota,
  LimitRange: describeLimitRange,
  PodDisruptionBudget: describeBudget,
  PriorityClass: describePriorityClass,
  Ingress: (ingress, { list }) =>
    describeIngress(ingress, { services: list('services'), slices: list('endpointslices'), pods: list('pods') }),
  IngressClass: describeIngressClass,
  NetworkPolicy: describeNetworkPolicy,
  Node: (node, { list, nowMs }) => describeNode(node, list('pods'), nowMs),
};

/** The kinds whose events kubectl does not show. */
const WITHOUT_EVENTS: ReadonlySet<string> = new Set([
  'LimitRange',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'Secret',
]);

/**
 * The output of `describe` for an object, that of kubectl v1.32, and of v1.36 for workloads. Sorts by name where
 * kubectl's order is random. Source: k8s.io/kubectl/pkg/describe/describe.go.
 */
export function describeObject(object: StoredKubeObject, context: DescribeContext): string {
  const { kind } = object;
  const { events, nowMs } = context;
  if (kind === 'Pod') return describePod(object as unknown as StoredPod, events, nowMs);
  const describe = (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? describeAnyKind;
  const own = WITHOUT_EVENTS.has(kind) ? undefined : events && eventsAbout(object, events);
  return alignWithEvents(describe(object as never, context), own, nowMs);
}
