export { allocateService, nodePortErrors, reachedStatus } from './allocate-service.ts';
export type { DialEndpoint } from './ingress/forward.ts';
export { parseIngressPorts, requestedIngressPorts, type RequestedIngressPorts } from './ingress/ingress-ports.ts';
export { ROUTER } from './linux/cluster-commands.ts';
export { detectCluster, detectNetworks, type NetworkFacts } from './linux/detect.ts';
export { type Dial, NetworkHelper } from './linux/helper-process.ts';
export { markedNetworkOf } from './linux/mark.ts';
export { missingForWayOut } from './linux/tools.ts';
export {
  addressForPods,
  endpointsFor,
  machinePort,
  podsPort,
  type ServicePlace,
  slicesOf,
} from './base/listeners-of-services.ts';
export { lowestPort } from './base/lowest-port.ts';
export { machineUrls } from './base/machine-urls.ts';
export type { ServiceListeners } from './node/agent-services.ts';
export { dialHere, dialPod } from './node/dial-pod.ts';
export { hasPodAddresses } from './node/loopbacks.ts';
export { PodNames } from './node/pod-names.ts';
export { type ApiOfPods, type ApiPlace, type NetworkSymptom, PodNetworks } from './node/pod-networks.ts';
export {
  BESIDE_OTHERS,
  chooseNetworks,
  type ChosenNetworks,
  FOR_CLIENTS,
  type PrivateNetworks,
} from './node/private-networks.ts';
export { lateServer, type ServiceServer, withIngresses } from './node/service-server.ts';
export { openConnections } from './base/open-connections.ts';
export {
  forwardedFor,
  headerPairs,
  type NextConnection,
  passRequestOn,
  passUpgradeOn,
  sentOn,
} from './base/pass-on.ts';
export { endWithAnswer, writableStatus } from './base/raw-answer.ts';
export { apiServerAddress, DNS_PORT, machineAddress } from './base/service-addresses.ts';
export type { ServiceEndpoint } from './base/service-listener.ts';
