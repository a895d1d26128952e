import type { HTTPGetAction, LifecycleHandler, Probe } from '../../api/index.ts';

/**
 * The handler of a probe or hook in the words of `kubectl describe`. kubectl does not describe hooks: they follow the
 * same form.
 */
export function describeHandler({ exec, httpGet, tcpSocket, grpc, sleep }: Probe & LifecycleHandler): string {
  if (exec) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet) return `http-get ${probeUrl(httpGet)}`;
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  if (grpc) return `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`;
  if (sleep) return `sleep ${sleep.seconds}s`;
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
