import { podrunEvent } from './podrun-events.ts';
import type { EventDraft } from './event-draft.ts';

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
