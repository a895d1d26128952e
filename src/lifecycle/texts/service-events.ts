import { podrunEvent } from './podrun-events.ts';
import { type PortOwner, portOwnerText } from './port-events.ts';
import type { EventDraft } from './event-draft.ts';

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

/** podrun's own: only root may listen on a port of a Service. @param place.isInCluster the Pods have a network apart */
export function servicePortMoved(
  port: number,
  place: { readonly address: string; readonly moved: number; readonly isInCluster: boolean },
): EventDraft {
  const { address, moved, isInCluster } = place;
  const forPods = isInCluster ? 'Pods reach it as it is' : 'the variables of the Service name the port that works';
  const message =
    `port ${port} is served on ${address}:${moved}, since this user may not listen below ` +
    `net.ipv4.ip_unprivileged_port_start; ${forPods}`;
  return podrunEvent('ServicePortMoved', message);
}

/** podrun's own: the reason of `servicePortTaken`. */
export const PORT_TAKEN = 'PortTaken';

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
