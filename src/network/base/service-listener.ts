import { guarded } from '../../defects.ts';
import { readQuietly } from '../../quietly.ts';

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
  /** Empty: connections are refused, so nothing listens, unless the listener has `health`. */
  readonly endpoints: readonly ServiceEndpoint[];
  /** The endpoints of clients by their addresses; the first range counts. Default: all have the same. */
  readonly near?: readonly NearEndpoints[];
  /**
   * ClientIP: a client address keeps its endpoint until it was quiet for so many seconds. Undefined: each connection
   * goes to any endpoint.
   */
  readonly affinitySeconds: number | undefined;
  /** The content of its own responses in HTTP. Undefined: it leads connections to endpoints. */
  readonly health?: ServiceHealth;
}

/** The endpoints for some clients. None: their connections are dropped, as a node without endpoints does. */
export interface NearEndpoints {
  /** A range of addresses, as 10.93.1.0/24. */
  readonly clients: string;
  readonly endpoints: readonly ServiceEndpoint[];
}

/** The endpoints of a Service on this node, for a load balancer that asks at its `healthCheckNodePort`. */
export interface ServiceHealth {
  readonly namespace: string;
  readonly name: string;
  readonly localEndpoints: number;
}

/** True for a listener that has a socket. */
export function hasSocket({ endpoints, health }: ServiceListener): boolean {
  return endpoints.length > 0 || health !== undefined;
}

/**
 * A destination of a connection. All endpoints of a listener are ready; or, where no endpoint is ready, all of them
 * serve while they terminate. Source: pkg/proxy/topology.go CategorizeEndpoints.
 */
export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
}

/** Names a listener: its network, protocol, address and port, and whether it says itself how its Service is. */
export function listenerKey({ protocol, network, address, port, health }: ServiceListener): string {
  return `${network} ${protocol} ${address}:${port}${health === undefined ? '' : ' health'}`;
}

/** The bit of CAP_NET_BIND_SERVICE. Source: linux/capability.h. */
const BIND_SERVICE = 10n;
const USUAL_LOWEST = 1024;

let known: number | undefined;

/** The lowest port that this process may listen on, found once. Source: ip(7), ip_unprivileged_port_start. */
export function lowestPort(): number {
  return (known ??= findLowestPort());
}

function findLowestPort(): number {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readQuietly('/proc/self/status'))?.[1];
  const isCapable = effective !== undefined && ((BigInt(`0x${effective}`) >> BIND_SERVICE) & 1n) === 1n;
  if (isCapable && countsHere()) return 1;
  const start = readQuietly('/proc/sys/net/ipv4/ip_unprivileged_port_start').trim();
  return /^\d+$/.test(start) ? Number(start) : USUAL_LOWEST;
}

/**
 * True where CAP_NET_BIND_SERVICE holds for this network. Root of a user namespace of its own has no right in a network
 * that belongs to another one, as after `unshare --map-root-user`: there, an attempt tells.
 * Source: user_namespaces(7).
 */
function countsHere(): boolean {
  const hasAllIds = /^\s*0\s+0\s+4294967295\s*$/.test(readQuietly('/proc/self/uid_map'));
  return hasAllIds || mayBind(1);
}

/** Binds at once: the lookup is no wait. A port that is taken counts as permitted. */
function mayBind(port: number): boolean {
  const { createSocket } = process.getBuiltinModule('node:dgram');
  const socket = guarded(createSocket({ type: 'udp4', lookup: (host, _options, done) => done(null, host, 4) }));
  let isRefused = false;
  socket.on('error', (error: NodeJS.ErrnoException) => (isRefused = error.code === 'EACCES'));
  socket.bind({ address: '127.0.0.1', port, exclusive: true });
  socket.close();
  return !isRefused;
}
