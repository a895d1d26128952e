import { type Container, goQuote, type IntOrString, type StoredPod } from '../../api/index.ts';

/** The release of Kubernetes that podrun follows. Servers see it in the user agent of probes and hooks. */
const KUBERNETES_VERSION = '1.36';

/** The user agent: `kube-probe/1.36`. Source: pkg/probe/http/request.go userAgent. */
export function userAgent(purpose: 'probe' | 'lifecycle'): string {
  return `kube-${purpose}/${KUBERNETES_VERSION}`;
}

/** The host for handlers that name none: the Pod's address, else this machine. */
export function defaultHost(pod: StoredPod): string {
  return pod.status.podIP || '127.0.0.1';
}

export type ResolvedPort =
  | { readonly ok: true; readonly port: number }
  /** The error in kubelet's words. */
  | { readonly ok: false; readonly error: string };

/**
 * The number of a handler's port: a number, the name of a port of this container, or a number in quotes.
 * Source: pkg/probe/util.go ResolveContainerPort.
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
