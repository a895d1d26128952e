import { podrunEvent } from './podrun-events.ts';
import type { EventDraft } from './event-draft.ts';

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

/** podrun's own: a port for Ingresses cannot be listened on. @param why the code of the error */
export function ingressPortTaken(port: number, why: string): EventDraft {
  const cause = why === 'EADDRINUSE' ? 'another program listens there' : why;
  return podrunEvent('PortTaken', `cannot serve 127.0.0.1:${port}: ${cause}; --ingress-port takes another one`);
}
