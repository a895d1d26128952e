import { CLUSTER_DOMAIN, isReadyEndpoint, type StoredEndpointSlice, type StoredService } from '../../api/index.ts';
import { addressForPods, type ServicePlace, slicesOf } from './listeners-of-services.ts';

/** The Pod whose file it is, and what it can reach. */
export interface HostsPlace {
  readonly namespace: string;
  readonly place: ServicePlace;
  /** The addresses of the name that an ExternalName stands for. */
  readonly addressesOf: (name: string) => readonly string[];
}

/**
 * The lines of a Pod's /etc/hosts about Services: their addresses, the addresses of the endpoints of headless ones, and
 * of endpoints with names of their own. Only Services of the Pod's namespace have short names. Source of the names:
 * Kubernetes' DNS-based service discovery.
 */
export function serviceHosts(
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
  { namespace, place, addressesOf }: HostsPlace,
): string {
  const lines = services.flatMap((service) => {
    const names = (host: string): string => namesOf(service, host, namespace);
    const address = addressForPods(service, place);
    if (address !== undefined) return [`${address}\t${names('')}`];
    if (service.spec?.type === 'ExternalName') {
      return addressesOf(service.spec.externalName ?? '').map((each) => `${each}\t${names('')}`);
    }
    return slicesOf(service, slices).flatMap((slice) => headlessLines(slice, names));
  });
  return lines.length === 0 ? '' : `\n# Services.\n${lines.join('\n')}\n`;
}

/** @param names the names of the Service, behind a host name with a dot */
function headlessLines({ addressType, endpoints }: StoredEndpointSlice, names: (host: string) => string): string[] {
  if (addressType !== 'IPv4') return [];
  return (endpoints ?? [])
    .filter(isReadyEndpoint)
    .flatMap(({ addresses, hostname }) =>
      addresses.flatMap((address) => [
        `${address}\t${names('')}`,
        ...(hostname === undefined ? [] : [`${address}\t${names(`${hostname}.`)}`]),
      ]),
    );
}

function namesOf({ metadata: { namespace, name } }: StoredService, host: string, own: string): string {
  const full = `${host}${name}.${namespace}`;
  const short = namespace === own ? [`${host}${name}`] : [];
  return [...short, full, `${full}.svc`, `${full}.svc.${CLUSTER_DOMAIN}`].join('\t');
}
