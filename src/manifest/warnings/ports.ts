import { type Container, type ContainerPort, goQuote } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';

/** The number of earlier ports that one port is compared with: a thousand equal ports must not make a million lines. */
const OTHERS_MAX = 8;

interface PortWithPath {
  readonly path: string;
  readonly port: Decoded<ContainerPort>;
}

/** Compares the ports of all containers of a Pod. Source: pkg/api/pod/warnings.go. */
export function portWarnings(containers: readonly (readonly [string, Decoded<Container>])[]): string[] {
  const ports = containers.flatMap(([path, container]) => placed(path, container));
  const earlier = new Map<string, PortWithPath[]>();
  const numbers = ports.flatMap((placedPort) => {
    const { path, port } = placedPort;
    const number = `${port.containerPort}/${port.protocol}`;
    const others = earlier.get(number) ?? [];
    if (others.length < OTHERS_MAX) earlier.set(number, [...others, placedPort]);
    return [
      ...(port.hostIP && !port.hostPort ? [`${path}: hostIP set without hostPort: ${goStruct(port)}`] : []),
      ...others.flatMap((other) => clash(port, other.port, path, other.path)),
    ];
  });
  return [...numbers, ...nameWarnings(containers)];
}

function placed(path: string, container: Decoded<Container>): PortWithPath[] {
  return (container.ports ?? []).map((port, index) => ({ path: `${path}.ports[${index}]`, port }));
}

/** The warning about two ports with one number. */
function clash(port: Decoded<ContainerPort>, other: Decoded<ContainerPort>, path: string, otherPath: string): string[] {
  const [hostPort, otherHostPort] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [hostIP, otherHostIP] = [port.hostIP ?? '', other.hostIP ?? ''];
  if (hostIP === otherHostIP && hostPort === otherHostPort)
    return [`${path}: duplicate port definition with ${otherPath}`];
  if (hostPort === 0 || otherHostPort === 0) return [`${path}: overlapping port definition with ${otherPath}`];
  const isAmbiguous = hostPort === otherHostPort && (hostIP === '') !== (otherHostIP === '');
  return isAmbiguous ? [`${path}: dangerously ambiguous port definition with ${otherPath}`] : [];
}

/** Warnings about equal port names of containers that run together. */
function nameWarnings(containers: readonly (readonly [string, Decoded<Container>])[]): string[] {
  const first = new Map<string, string>();
  const together = containers.filter(
    ([path, { restartPolicy }]) => !path.includes('.initContainers[') || restartPolicy === 'Always',
  );
  return together.flatMap(([at, container]) =>
    placed(at, container).flatMap(({ path, port: { name } }) => {
      if (!name) return [];
      const other = first.get(name);
      if (other === undefined) {
        first.set(name, path);
        return [];
      }
      const effect = `services and probes that select ports by name will use ${other}`;
      return [`${path}: duplicate port name ${goQuote(name)} with ${other}, ${effect}`];
    }),
  );
}

/** Formats a port as Go does with %+v. */
function goStruct({
  name = '',
  hostPort = 0,
  containerPort = 0,
  protocol = '',
  hostIP = '',
}: Decoded<ContainerPort>): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}
