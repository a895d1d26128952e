import type { StoredService } from '../../api/index.ts';
import { LOCALHOST, machinePort } from './listeners-of-services.ts';
import { machineAddress } from './service-addresses.ts';

/**
 * The addresses at which this machine reaches a Service: `http://127.96.0.12:8080` for each of its ports, then the
 * addresses of node ports. Empty: it has none. A TCP port gets an http link, which people can click on: its protocol is
 * unknown.
 * @param lowestPort the lowest port that podrun may listen on
 */
export function machineUrls({ spec = {} }: Pick<StoredService, 'spec'>, lowestPort: number): string[] {
  const { clusterIP = '' } = spec;
  const ports = (spec.ports ?? []).filter(({ protocol }) => protocol !== 'SCTP');
  if (clusterIP === '' || clusterIP === 'None') return [];
  const address = machineAddress(clusterIP);
  return [
    ...ports.map(({ port, protocol }) => machineUrl({ address, port: machinePort(port, lowestPort), protocol })),
    ...ports.flatMap(({ nodePort: port, protocol }) =>
      port ? machineUrl({ address: LOCALHOST, port, protocol }) : [],
    ),
  ];
}

/** The address of one port. */
export function machineUrl(place: { address: string; port: number; protocol?: string | undefined }): string {
  const { address, port, protocol = 'TCP' } = place;
  return protocol === 'TCP' ? `http://${address}:${port}` : `${address}:${port}/${protocol}`;
}
