import { type Container, PodrunError, type ServicePort, type StoredPod, type StoredService } from '../../api/index.ts';

/** A port of this machine and the port of the Pod behind it. */
export interface ForwardedPort {
  /** 0: any free port. */
  readonly local: number;
  readonly remote: number;
}

const PORT_MAX = 65_535;

/**
 * Parses port arguments such as `8080:80`, `80`, `:80` and `web:http`. With a Service, they are ports of the Service.
 * @throws {PodrunError} in kubectl's words. Source: kubectl/pkg/cmd/portforward/portforward.go and
 * client-go/tools/portforward/portforward.go
 */
export function forwardedPorts(
  words: readonly string[],
  pod: StoredPod,
  service: StoredService | undefined,
): ForwardedPort[] {
  return words.map((word) => {
    const parts = word.split(':');
    if (parts.length > 2) throw refusal(`invalid port format '${word}'`);
    const [first = '', second] = parts;
    const wanted = second ?? first;
    const named = portNamed(wanted, pod, service);
    const remote = service === undefined ? named : targetOf(named, pod, service);
    checkProtocol(wanted, remote, pod);
    // A name alone is the same port on both sides: the Service's port.
    const local = second === undefined ? String(named) : first === '' ? '0' : first;
    const port = { local: portOf('local', local), remote: portOf('remote', String(remote)) };
    if (port.remote === 0) throw refusal('remote port must be > 0');
    return port;
  });
}

function portNamed(word: string, pod: StoredPod, service: StoredService | undefined): number {
  if (/^[+-]?\d+$/.test(word)) return portOf('remote', word);
  if (service === undefined) return containerPort(word, pod);
  const match = servicePorts(service).find(({ name }) => name === word);
  if (match?.port !== undefined) return match.port;
  throw refusal(`Service '${service.metadata.name}' does not have a named port '${word}'`);
}

/** The port of the Pod behind a port of a Service. Source: kubectl/pkg/util/service_port.go. */
function targetOf(port: number, pod: StoredPod, service: StoredService): number {
  const match = servicePorts(service).find((servicePort) => servicePort.port === port);
  if (match === undefined) throw refusal(`Service ${service.metadata.name} does not have a service port ${port}`);
  if (service.spec?.clusterIP === 'None') return port;
  const { targetPort } = match;
  if (typeof targetPort === 'string' && !/^\d+$/.test(targetPort)) return containerPort(targetPort, pod);
  return Number(targetPort ?? 0) || port;
}

function containerPort(wanted: string, pod: StoredPod): number {
  const match = podPorts(pod).find(({ name }) => name === wanted);
  if (match?.containerPort !== undefined) return match.containerPort;
  throw refusal(`Pod '${pod.metadata.name}' does not have a named port '${wanted}'`);
}

function checkProtocol(word: string, port: number, pod: StoredPod): void {
  const protocols = podPorts(pod)
    .filter(({ containerPort: podPort }) => podPort === port)
    .map(({ protocol }) => protocol);
  if (protocols.includes('UDP') && !protocols.some((protocol) => (protocol ?? 'TCP') === 'TCP')) {
    throw refusal(`UDP protocol is not supported for ${word}`);
  }
}

function podPorts({ spec }: StoredPod): NonNullable<Container['ports']> {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports = [] }) => ports);
}

function servicePorts({ spec }: StoredService): readonly ServicePort[] {
  return spec?.ports ?? [];
}

/** Parses a port number. Errors are in the words of Go's strconv. */
function portOf(side: 'local' | 'remote', text: string): number {
  const failed = (why: string): PodrunError =>
    refusal(`error parsing ${side} port '${text}': strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^\d+$/.test(text)) throw failed('invalid syntax');
  const port = Number(text);
  if (port > PORT_MAX) throw failed('value out of range');
  return port;
}

function refusal(message: string): PodrunError {
  return new PodrunError('BadRequest', message);
}
