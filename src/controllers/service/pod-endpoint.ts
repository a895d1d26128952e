import {
  type DiscoveryEndpointPort,
  type Endpoint,
  isSidecar,
  isTerminalPhase,
  type JsonObject,
  type ServicePort,
  type StoredEndpointSlice,
  type StoredPod,
  type StoredService,
} from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { isPodReady, readyConditionOf } from '../base/pod-state.ts';
import type { Owned } from '../base/reconcile.ts';

const ZONE = 'topology.kubernetes.io/zone';

/**
 * True for a Pod that is an endpoint, ready or not. Source: staging/src/k8s.io/endpointslice/util/controller_utils.go
 * ShouldPodBeInEndpoints.
 */
export function mayBeEndpoint({ status }: StoredPod): boolean {
  return !isTerminalPhase(status.phase) && Boolean(status.podIP);
}

/**
 * A Pod as an endpoint. Source: staging/src/k8s.io/endpointslice/utils.go podToEndpoint.
 * @param node undefined: the node of the Pod is not known here
 */
export function podEndpoint(pod: StoredPod, { metadata, spec }: StoredService, node?: NodeFacts): Endpoint {
  const serving = isPodReady(pod);
  const terminating = hasDeletionTimestamp(pod);
  const { namespace, name, uid } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec;
  const hasName = Boolean(hostname) && subdomain === metadata.name;
  const zone = node?.labels[ZONE];
  const ready = spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hints = ready ? hintsOf({ nodeName, zone }, spec?.trafficDistribution) : undefined;
  return {
    addresses: [pod.status.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(hasName ? { hostname } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...(hints === undefined ? {} : { hints }),
  };
}

/**
 * The clients that are to prefer a ready endpoint, by zone and by node.
 * Source: staging/src/k8s.io/endpointslice/trafficdist/trafficdist.go.
 */
function hintsOf(
  { nodeName, zone }: Pick<Endpoint, 'nodeName' | 'zone'>,
  distribution: string | undefined,
): Endpoint['hints'] {
  if (distribution === undefined) return undefined;
  const ofNode = distribution === 'PreferSameNode' && nodeName ? { forNodes: [{ name: nodeName }] } : {};
  const hints = { ...(zone === undefined ? {} : { forZones: [{ name: zone }] }), ...ofNode };
  return Object.keys(hints).length === 0 ? undefined : hints;
}

/** The ports of a Service in a Pod. A port whose name the Pod lacks is left out. Source: utils.go getEndpointPorts. */
export function endpointPorts({ spec }: StoredService, pod: StoredPod): DiscoveryEndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(servicePort, pod);
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return port === undefined ? [] : [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Source: staging/src/k8s.io/endpointslice/util/controller_utils.go and pkg/api/v1/pod/util.go FindPort. */
function targetPort(
  { port, targetPort: target = port, protocol = 'TCP' }: ServicePort,
  { spec }: StoredPod,
): number | undefined {
  if (typeof target === 'number') return target;
  const containers = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  const ports = containers.flatMap((container) => container.ports ?? []);
  return ports.find((one) => one.name === target && (one.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The annotation with the time of the change that endpoints follow. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * The time of the change that calls for the next write: the creation of a new Service, else the first of the Pods'
 * changes of readiness that the slices do not show yet. Undefined: another change, for example a deletion. A cluster's
 * controller remembers the times of its last sync; here they follow from the slices.
 * Source: staging/src/k8s.io/endpointslice/trigger_time_tracker.go ComputeEndpointLastChangeTriggerTime.
 */
export function triggerTime(
  service: StoredService,
  pods: readonly StoredPod[],
  slices: readonly StoredEndpointSlice[],
): string | undefined {
  if (slices.length === 0) return service.metadata.creationTimestamp;
  const servingByUid = new Map(
    slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).map(({ targetRef, conditions }) => [targetRef?.uid, conditions?.serving]),
    ),
  );
  const times = pods.flatMap((pod) => {
    const ready = readyConditionOf(pod);
    const serving = servingByUid.get(pod.metadata.uid);
    const isNew = serving === undefined ? mayBeEndpoint(pod) : serving !== (ready?.status === 'True');
    return isNew && ready?.lastTransitionTime ? [ready.lastTransitionTime] : [];
  });
  // Times of whole seconds in UTC: sorting the texts sorts the times.
  return times.toSorted()[0];
}

/** The patch of the annotations of an object that tells the time. */
export function triggerPatch({ metadata }: Owned, time: string | undefined): JsonObject | null {
  if (time !== undefined) return { [TRIGGER_TIME]: time };
  const hasOthers = Object.keys(metadata.annotations ?? {}).some((key) => key !== TRIGGER_TIME);
  return hasOthers ? { [TRIGGER_TIME]: null } : null;
}
