import {
  type DiscoveryEndpointPort,
  type Endpoint,
  isSidecar,
  isTerminalPhase,
  type ServicePort,
  type StoredPod,
  type StoredService,
} from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { isPodReady } from '../base/pod-state.ts';

const ZONE = 'topology.kubernetes.io/zone';

/**
 * True for a Pod that is an endpoint, ready or not. Source: staging/src/k8s.io/endpointslice/util/controller_utils.go
 * ShouldPodBeInEndpoints.
 */
export function mayBeEndpoint({ status }: StoredPod): boolean {
  return !isTerminalPhase(status.phase) && Boolean(status.podIP);
}

/** A Pod as an endpoint. Source: staging/src/k8s.io/endpointslice/utils.go podToEndpoint. */
export function podEndpoint(pod: StoredPod, { metadata, spec }: StoredService, { labels }: NodeFacts): Endpoint {
  const serving = isPodReady(pod);
  const terminating = hasDeletionTimestamp(pod);
  const { namespace, name, uid } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec;
  const hasName = Boolean(hostname) && subdomain === metadata.name;
  const zone = labels[ZONE];
  return {
    addresses: [pod.status.podIP ?? ''],
    conditions: { ready: spec?.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating },
    ...(hasName ? { hostname } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
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
