import { isSidecar } from '../../api/objects.ts';
import type { ContainerPort, PodSpec } from '../../api/generated/types.ts';

/** A port of the host that a Pod asks for. */
interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY_ADDRESS = '0.0.0.0';

/**
 * Does a Pod ask for a port of the host that another holds?
 * Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go, framework.HostPortInfo CheckConflict.
 */
export function hostPortsCollide(spec: PodSpec, placed: readonly PodSpec[]): boolean {
  const wanted = hostPorts(spec);
  // Few Pods want any: those of the others are not looked for then.
  if (wanted.length === 0) return false;
  const held = placed.flatMap(hostPorts);
  return wanted.some((port) => held.some((other) => collide(port, other)));
}

/** The ports of the host that a Pod asks for. Those of plain init containers do not count. */
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
