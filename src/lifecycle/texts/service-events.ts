import type { EventDraft } from '../effects.ts';
import { podrunEvent } from './podrun-events.ts';

/** podrun's own: a manifest names an address that Services cannot have here. */
export function serviceAddressReplaced(from: string, to: string): EventDraft {
  return podrunEvent('ServiceAddressReplaced', `clusterIP ${from} is taken or of another network; it is ${to} here`);
}

/** podrun's own: only root may listen on a port of a Service. */
export function servicePortMoved(port: number, address: string, moved: number): EventDraft {
  const message =
    `port ${port} is served on ${address}:${moved}, since this user may not listen below ` +
    'net.ipv4.ip_unprivileged_port_start; the variables of the Service name the port that works';
  return podrunEvent('ServicePortMoved', message);
}

/** podrun's own: an address of a Service cannot be listened on. @param why the code of the error */
export function servicePortTaken(place: string, why: string): EventDraft {
  const cause = why === 'EADDRINUSE' ? 'a program listens on all addresses of this port' : why;
  return podrunEvent('PortTaken', `cannot serve ${place}: ${cause}; use --network cluster, or another port`);
}
