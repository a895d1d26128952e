import type { EventDraft } from './events.ts';
import { fieldHasNoEffect, podrunEvent } from './podrun-events.ts';
import { PORT_TAKEN, type PortOwner, portOwnerText } from './port-events.ts';

/** podrun's own: the reason of `serviceServed`. */
export const SERVICE_SERVED = 'ServiceServed';

/** podrun's own: this machine reaches a Service. @param urls at which */
export function serviceServed(urls: readonly string[]): EventDraft {
  return { ...podrunEvent(SERVICE_SERVED, urls.join('  ')), type: 'Normal' };
}

/** podrun's own: a manifest names an address that Services cannot have here. */
export function serviceAddressReplaced(from: string, to: string): EventDraft {
  return podrunEvent('ServiceAddressReplaced', `clusterIP ${from} is taken or of another network; it is ${to} here`);
}

/** podrun's own: fields of a Service that need the nodes of its clients, which podrun does not know. */
export function clientsUnknown(paths: readonly string[]): EventDraft {
  const note = 'the node of a client is not known in the network of this machine; with --network cluster it is';
  return fieldHasNoEffect({ paths, note });
}

/** podrun's own: only root may listen on a port of a Service. @param place.isInCluster the Pods have a network apart */
export function servicePortMoved(
  port: number,
  place: { readonly address: string; readonly moved: number; readonly isInCluster: boolean },
): EventDraft {
  const { address, moved, isInCluster } = place;
  const forPods = isInCluster ? 'Pods reach it unchanged' : 'the variables of the Service name the port that works';
  const message =
    `port ${port} is served on ${address}:${moved}, since this user may not listen below ` +
    `net.ipv4.ip_unprivileged_port_start; ${forPods}`;
  return podrunEvent('ServicePortMoved', message);
}

/** podrun's own: the beginning of the message of `servicePortTaken`. @param place an address and a port */
export function cannotServe(place: string): string {
  return `cannot serve ${place}: `;
}

/**
 * podrun's own: an address of a Service cannot be listened on.
 * @param trouble.why the code of the error
 * @param trouble.owner undefined: podrun cannot find out who listens there
 * @param trouble.isInCluster true when the Pods have a network of their own
 */
export function servicePortTaken(
  place: string,
  trouble: { readonly why: string; readonly owner: PortOwner | undefined; readonly isInCluster: boolean },
): EventDraft {
  const { why, owner = { type: 'unknown' }, isInCluster } = trouble;
  const cause = why === 'EADDRINUSE' ? `${portOwnerText(owner)} listens on this port` : why;
  const advice = isInCluster
    ? 'Pods reach the Service all the same; for this machine, use another port or podrun port-forward'
    : 'use --network cluster, or another port';
  return podrunEvent(PORT_TAKEN, `${cannotServe(place)}${cause}; ${advice}`);
}

/** podrun's own: the reason of `ingressServed`. */
export const INGRESS_SERVED = 'IngressServed';

/** podrun's own: an Ingress is served. @param urls one for each host */
export function ingressServed(urls: readonly string[]): EventDraft {
  return { ...podrunEvent(INGRESS_SERVED, urls.join('  ')), type: 'Normal' };
}

/** podrun's own: annotations of a controller for Ingresses. */
export function ingressAnnotationsIgnored(keys: readonly string[]): EventDraft {
  const message = `${keys.join(', ')}: podrun is no such controller, and serves the rules of the Ingress alone`;
  return podrunEvent('AnnotationHasNoEffect', message);
}

/** podrun's own: a Secret of an Ingress cannot be used for TLS. */
export function ingressWithoutCertificate(secret: string, why: string): EventDraft {
  return podrunEvent('IngressWithoutCertificate', `Secret ${secret}: ${why}; its hosts are served without TLS`);
}

/**
 * podrun's own: a port for Ingresses cannot be listened on.
 * @param why the code of the error
 * @param owner undefined: podrun cannot find out who listens there
 */
export function ingressPortTaken(port: number, why: string, owner: PortOwner = { type: 'unknown' }): EventDraft {
  const cause = why === 'EADDRINUSE' ? `${portOwnerText(owner)} listens on this port` : why;
  return podrunEvent(PORT_TAKEN, `cannot serve 127.0.0.1:${port}: ${cause}; --ingress-port takes another one`);
}

/** Source: pkg/kubelet/network/dns/dns.go formDNSNameserversFitsLimits. */
export function nameserversOmitted(applied: readonly string[]): EventDraft {
  const what = 'Nameserver limits were exceeded, some nameservers have been omitted';
  return dnsConfigForming(`${what}, the applied nameserver line is: ${applied.join(' ')}`);
}

/** Source: pkg/kubelet/network/dns/dns.go formDNSSearchFitsLimits. */
export function searchesOmitted(applied: readonly string[]): EventDraft {
  const what = 'Search Line limits were exceeded, some search paths have been omitted';
  return dnsConfigForming(`${what}, the applied search line is: ${applied.join(' ')}`);
}

function dnsConfigForming(message: string): EventDraft {
  return { type: 'Warning', reason: 'DNSConfigForming', message };
}

/** podrun's own: the reason for `noServiceNames` without namespaces. */
export const NO_SERVICE_FILES: string =
  'without namespaces it has the /etc/hosts and /etc/resolv.conf of this machine; ' +
  'the variables of the Services lead to them, or use --runtime namespace';

/** podrun's own: the reasons of `noServiceNames` and `noNames`. */
export const NO_NAME_REASONS: ReadonlySet<string> = new Set(['NoServiceNames', 'NoNames']);

/** podrun's own: the Pod cannot look up Services. @param why a sentence */
export function noServiceNames(why: string): EventDraft {
  return podrunEvent('NoServiceNames', `names of Services do not resolve in this Pod: ${why}`);
}

/**
 * podrun's own: the Pod cannot look up any name.
 * @param nameservers the name servers of this machine
 */
export function noNames(nameservers: readonly string[]): EventDraft {
  const named = nameservers.length === 0 ? 'no server' : nameservers.join(', ');
  const why = `it has the /etc/resolv.conf of this machine, with ${named}, and a network of its own`;
  return podrunEvent('NoNames', `names do not resolve in this Pod: ${why}; use --runtime namespace`);
}
