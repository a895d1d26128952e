import { type ContainerPort, isSidecar, type PodSpec } from '../../api/index.ts';

/** A host port that a Pod requests. */
interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY_ADDRESS = '0.0.0.0';

/**
 * True when a Pod requests a host port that another Pod uses. Source:
 * pkg/scheduler/framework/plugins/nodeports/node_ports.go, framework.HostPortInfo CheckConflict.
 */
export function hostPortsCollide(spec: PodSpec, placed: readonly PodSpec[]): boolean {
  const wanted = hostPorts(spec);
  // Few Pods request host ports: skip the ports of all other Pods.
  if (wanted.length === 0) return false;
  const held = placed.flatMap(hostPorts);
  return wanted.some((port) => held.some((other) => collide(port, other)));
}

/** The host ports that a Pod requests. Ports of plain init containers do not count. */
export function hostPorts({ containers, initContainers = [] }: PodSpec): HostPort[] {
  return [...containers, ...initContainers.filter(isSidecar)].flatMap(({ ports = [] }) => ports.flatMap(hostPort));
}

function hostPort({ hostPort: port = 0, hostIP, protocol }: ContainerPort): HostPort[] {
  return port > 0 ? [{ ip: hostIP || ANY_ADDRESS, protocol: protocol ?? 'TCP', port }] : [];
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.protocol !== b.protocol || a.port !== b.port) return false;
  return a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS;
}
