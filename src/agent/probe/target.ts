import type { Container, IntOrString } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { goQuote } from '../../api/go-quote.ts';

/** The release whose kubelet podrun follows; servers see it in the user agent of probes and hooks. */
const KUBERNETES_VERSION = '1.36';

/** What a program tells of itself when it calls: `kube-probe/1.36`. Source: pkg/probe/http/request.go userAgent. */
export function userAgent(purpose: 'probe' | 'lifecycle'): string {
  return `kube-${purpose}/${KUBERNETES_VERSION}`;
}

/** Where the containers of a Pod are reached when the handler names no host: the Pod's address, else this machine. */
export function defaultHost(pod: StoredPod): string {
  return pod.status.podIP || '127.0.0.1';
}

export type ResolvedPort =
  | { readonly ok: true; readonly port: number }
  /** In kubelet's words. */
  | { readonly ok: false; readonly error: string };

/**
 * The number of a port that a handler names: by number, by the name of a port of this container, or by a number in
 * quotes. Source: pkg/probe/util.go ResolveContainerPort.
 */
export function resolvePort(port: IntOrString, container: Container): ResolvedPort {
  const named = container.ports?.find(({ name }) => name !== undefined && name === port);
  const number =
    named?.containerPort ?? (typeof port === 'number' || /^[-+]?\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) {
    return { ok: false, error: `strconv.Atoi: parsing ${goQuote(String(port))}: invalid syntax` };
  }
  return number > 0 && number < 65_536
    ? { ok: true, port: number }
    : { ok: false, error: `invalid port number: ${number}` };
}

/** `127.0.0.1:80`, `[::1]:80`. Source: Go's net.JoinHostPort. */
export function joinHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
