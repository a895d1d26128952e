/** The protocols that are proxied. */
export type ProxiedProtocol = 'TCP' | 'UDP';

/**
 * One address and port of a Service, and where its connections go. Plain data: the agent computes it, and may send it
 * to a helper process in the network of the run. At most one for each protocol, address and port.
 */
export interface ServiceListener {
  readonly protocol: ProxiedProtocol;
  /**
   * The network in which it listens: the Pods' network, or this machine's, whose sockets the agent makes and passes in.
   * With `--network host` both are the same, and every listener is the machine's.
   */
  readonly network: 'pods' | 'machine';
  readonly address: string;
  readonly port: number;
  /** The Service and its port, for messages: `default/web:80`. */
  readonly service: string;
  /** Empty: connections are refused, so nothing listens. */
  readonly endpoints: readonly ServiceEndpoint[];
  /**
   * ClientIP: a client address keeps its endpoint until it was quiet for so many seconds. Undefined: each connection
   * goes to any endpoint.
   */
  readonly affinitySeconds: number | undefined;
}

/**
 * Where a connection may go. All endpoints of a listener are ready; or, where no endpoint is ready, all of them serve
 * while they terminate. Source: pkg/proxy/topology.go CategorizeEndpoints.
 */
export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

/** Names a listener: its network, protocol, address and port. */
export function listenerKey({ protocol, network, address, port }: ServiceListener): string {
  return `${network} ${protocol} ${address}:${port}`;
}
