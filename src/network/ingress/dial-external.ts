import type { StoredService } from '../../api/index.ts';
import { addressForPods, podsPort, type ServicePlace } from '../base/listeners-of-services.ts';
import type { ServiceEndpoint } from '../base/service-listener.ts';

/** A name of a Service in a cluster: `web.shop.svc.cluster.local`, or a shorter one. */
const SERVICE_NAME = /^([^.]+)\.([^.]+)(?:\.svc(?:\.cluster\.local)?)?$/;

/**
 * The place on this machine that an endpoint with a name stands for. The resolver of this machine does not know the
 * names of Services: they are reached at their loopback addresses. All other names stay.
 * @param find the Service of this name, if there is one
 */
export function placeOnMachine(
  { address, port }: ServiceEndpoint,
  find: (namespace: string, name: string) => StoredService | undefined,
  lowestPort: number,
): ServiceEndpoint {
  const [, name = '', namespace = ''] = SERVICE_NAME.exec(address) ?? [];
  const service = name === '' ? undefined : find(namespace, name);
  const place: ServicePlace = { network: 'host', lowestPort };
  const known = service && addressForPods(service, place);
  return known === undefined ? { address, port } : { address: known, port: podsPort(port, place) };
}
