import type { ServicePort, StoredService } from '../../api/index.ts';
import { LOCALHOST, machinePort } from './listeners-of-services.ts';
import { isDnsService, machineAddress } from './service-addresses.ts';

/**
 * The addresses at which this machine reaches a Service: `http://127.96.0.12:8080` for each of its ports, then the
 * addresses of node ports. Empty: it has none. A TCP port gets a link, which people can click on: see `schemeOf`.
 * @param lowestPort the lowest port that podrun may listen on
 */
export function machineUrls({ spec = {} }: Pick<StoredService, 'spec'>, lowestPort: number): string[] {
  const { clusterIP = '' } = spec;
  const ports = (spec.ports ?? []).filter(({ protocol }) => protocol !== 'SCTP');
  if (clusterIP === '' || clusterIP === 'None' || isDnsService(spec)) return [];
  const address = machineAddress(clusterIP);
  const urlOf = (own: ServicePort, place: Pick<Place, 'address' | 'port'>): string =>
    linkOf(schemeOf(own), { ...place, protocol: own.protocol });
  return [
    ...ports.map((own) => urlOf(own, { address, port: machinePort(own.port, lowestPort) })),
    ...ports.flatMap((own) => (own.nodePort ? urlOf(own, { address: LOCALHOST, port: own.nodePort }) : [])),
  ];
}

interface Place {
  readonly address: string;
  readonly port: number;
  /** Default: TCP. */
  readonly protocol?: string | undefined;
}

/** True when a link of `machineUrls` leads to this place. */
export function leadsTo(url: string, place: Place): boolean {
  return url === linkOf('http', place) || url === linkOf('https', place);
}

function linkOf(scheme: string, { address, port, protocol = 'TCP' }: Place): string {
  return protocol === 'TCP' ? `${scheme}://${address}:${port}` : `${address}:${port}/${protocol}`;
}

/** The scheme of a port, as a person expects it: by its appProtocol, else by its name, else by its number. */
function schemeOf({ appProtocol, name = '', port }: ServicePort): 'http' | 'https' {
  if (appProtocol !== undefined) return /^(https|kubernetes\.io\/wss)$/.test(appProtocol) ? 'https' : 'http';
  if (/^http(-|$)/.test(name)) return 'http';
  return /^https(-|$)/.test(name) || port === 443 ? 'https' : 'http';
}
