/**
 * The Services of a run, as its proxy and its DNS server serve them. Plain data: the agent computes it, and may send it
 * to a helper process in the network of the run.
 */
export interface ServiceTable {
  readonly listeners: readonly ServiceListener[];
  /** The source of the DNS records. */
  readonly services: readonly NamedService[];
}

/** The protocols that are proxied. */
export type ProxiedProtocol = 'TCP' | 'UDP';

/** One address and port of a Service, and where its connections go. At most one for each protocol, address and port. */
export interface ServiceListener {
  readonly protocol: ProxiedProtocol;
  /**
   * The network in which it listens: that of the Pods, or that of this machine, whose sockets the agent makes and hands
   * over. With `--network host` both are the same, and every listener is the machine's.
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

/** A Service as DNS knows it. */
export interface NamedService {
  readonly namespace: string;
  readonly name: string;
  readonly target: ServiceTarget;
}

export type ServiceTarget =
  | { readonly type: 'address'; readonly address: string; readonly ports: readonly NamedPort[] }
  /** The addresses of the endpoints that clients may know: the ready ones, or all that are published. */
  | { readonly type: 'headless'; readonly endpoints: readonly NamedEndpoint[] }
  | { readonly type: 'external'; readonly name: string };

export interface NamedEndpoint {
  readonly address: string;
  /** The first label of its own name. */
  readonly hostname: string | undefined;
  readonly ports: readonly NamedPort[];
}

export interface NamedPort {
  /** Empty: the port has no name, and no SRV record. */
  readonly name: string;
  /** TCP, UDP or SCTP. */
  readonly protocol: string;
  readonly port: number;
}
