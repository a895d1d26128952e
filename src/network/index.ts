export { allocateService, balancedStatus, familyErrors, nodePortErrors, reachedAddresses } from './allocate-service.ts';
export type { DialEndpoint } from './ingress/forward.ts';
export {
  parseIngressPorts,
  requestedIngressPorts,
  type RequestedIngressPorts,
  servicesOfIngress,
} from './ingress/ingress-urls.ts';
export type { StoredIngress } from './ingress/routes.ts';
export { ROUTER } from './linux/cluster-commands.ts';
export { detectCluster, detectNetworks, type NetworkFacts } from './linux/detect.ts';
export { type Dial, NetworkHelper } from './linux/helper-process.ts';
export type { Refusal } from './linux/nft-policies.ts';
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
export { lowestPort, type ServiceEndpoint } from './base/service-listener.ts';
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
  withoutPolicies,
} from './node/private-networks.ts';
export type { PolicyEvents } from './node/policies-of-pods.ts';
export { lateServer, type ServiceServer, withIngresses } from './node/service-server.ts';
export { openConnections, splice } from './base/connections.ts';
export {
  forwardedFor,
  headerPairs,
  type NextConnection,
  passRequestOn,
  passUpgradeOn,
  sentOn,
} from './base/pass-on.ts';
export { endWithAnswer, writableStatus } from './base/raw-answer.ts';
export {
  apiServerAddress,
  CLUSTER_DNS,
  DNS_PORT,
  DNS_SERVICE,
  isDnsService,
  firstServiceAddress,
  machineAddress,
  SERVICE_RANGE,
} from './base/service-addresses.ts';
