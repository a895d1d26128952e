import { type Container, type ContainerPort, portNameMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, invalid, item, required } from '../base/field-error.ts';
import { each, inRange, type Range, requiredOneOf, wellFormed } from './checks.ts';

const PORT_NUMBERS: Range = { min: 1, max: 65_535 };
export const PORT_PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

/** Validates the ports of one container. Source: pkg/apis/core/validation/validation.go, validateContainerPorts. */
export function validatePorts(path: string, ports: readonly Decoded<ContainerPort>[] | undefined): FieldError[] {
  const names = new Set<string>();
  return each(path, ports, (port, at) => {
    const { name, containerPort, hostPort, protocol } = port;
    const errors = name ? validatePortName(child(at, 'name'), name, names) : [];
    const numbers = containerPort
      ? inRange(child(at, 'containerPort'), containerPort, PORT_NUMBERS)
      : [required(child(at, 'containerPort'))];
    const hostNumbers = hostPort ? inRange(child(at, 'hostPort'), hostPort, PORT_NUMBERS) : [];
    const protocols = requiredOneOf(child(at, 'protocol'), protocol, PORT_PROTOCOLS);
    return [...errors, ...numbers, ...hostNumbers, ...protocols];
  });
}

/** Requires a well-formed and unique name, and adds it to `names`. */
function validatePortName(path: string, name: string, names: Set<string>): FieldError[] {
  const errors = wellFormed(path, name, portNameMessages);
  if (errors.length > 0) return errors;
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

/** Validates a port number, or the name of a port, which need not exist. */
export function validatePortReference(path: string, port: number | string | undefined): FieldError[] {
  return typeof port === 'string' ? wellFormed(path, port, portNameMessages) : validatePortNumber(path, port);
}

export function validatePortNumber(path: string, port: number | undefined): FieldError[] {
  return inRange(path, port ?? 0, PORT_NUMBERS);
}

/** Refuses equal host ports of containers that run together. Source: AccumulateUniqueHostPorts. */
export function validateHostPorts(containers: readonly (readonly [string, Decoded<Container>])[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(([path, container]) =>
    each(child(path, 'ports'), container.ports, ({ hostPort, hostIP = '', protocol = '' }, at) => {
      if (!hostPort) return [];
      const hostPortKey = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(hostPortKey)) return [duplicate(child(at, 'hostPort'), hostPortKey)];
      taken.add(hostPortKey);
      return [];
    }),
  );
}

/**
 * Requires equal host and container ports on the host network. In a template the host port may be missing: it is set
 * when the Pod is made.
 */
export function validateHostNetworkPorts(
  path: string,
  containers: readonly Decoded<Container>[],
  isPod: boolean,
): FieldError[] {
  return containers.flatMap((container, index) =>
    each(child(item(path, index), 'ports'), container.ports, ({ hostPort = 0, containerPort = 0 }, at) =>
      hostPort === containerPort || (hostPort === 0 && !isPod)
        ? []
        : [invalid(child(at, 'hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true')],
    ),
  );
}
