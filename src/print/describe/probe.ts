import type { HTTPGetAction, Probe } from '../../api/generated/types.ts';

/** A probe on one line: its handler and its numbers. Missing numbers are shown with the API's defaults. */
export function describeProbe(probe: Probe): string {
  const numbers = [
    `delay=${probe.initialDelaySeconds ?? 0}s`,
    `timeout=${probe.timeoutSeconds ?? 1}s`,
    `period=${probe.periodSeconds ?? 10}s`,
    `#success=${probe.successThreshold ?? 1}`,
    `#failure=${probe.failureThreshold ?? 3}`,
  ];
  return `${describeHandler(probe)} ${numbers.join(' ')}`;
}

function describeHandler({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet) return `http-get ${probeUrl(httpGet)}`;
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`;
  return 'unknown';
}

function probeUrl({ scheme = 'HTTP', host = '', port, path = '' }: HTTPGetAction): string {
  const bracketed = /[:%]/.test(host) ? `[${host}]` : host;
  const slash = path === '' || path.startsWith('/') ? '' : '/';
  return `${scheme.toLowerCase()}://${bracketed}:${port}${slash}${escapePath(path)}`;
}

/** The path of a URL as Go's net/url escapes it: a `?` belongs to the path and becomes `%3F`. */
function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/g, (part) =>
    [...new TextEncoder().encode(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
