import type { DiscoveryEndpointPort, Endpoint, StoredEndpointSlice } from '../../../api/index.ts';
import { line } from '../line.ts';
import { describeIdentity } from '../metadata.ts';

/** The lines of `describe` about an EndpointSlice, without its events. */
export function describeEndpointSlice(slice: StoredEndpointSlice): string[] {
  const { addressType } = slice;
  const [ports, endpoints] = [slice.ports ?? [], slice.endpoints ?? []];
  return [
    ...describeIdentity(slice),
    line(0, 'AddressType:', addressType),
    ...describePorts(ports),
    ...(endpoints.length === 0 ? ['Endpoints: <none>'] : ['Endpoints:', ...endpoints.flatMap(describeEndpoint)]),
  ];
}

function describePorts(ports: readonly DiscoveryEndpointPort[]): string[] {
  if (ports.length === 0) return ['Ports: <unset>'];
  return [
    'Ports:',
    line(1, 'Name', 'Port', 'Protocol'),
    line(1, '----', '----', '--------'),
    ...ports.map(({ name, port, protocol }) => line(1, name || '<unset>', textOf(port), protocol ?? 'TCP')),
  ];
}

function describeEndpoint({ addresses, conditions, hostname, targetRef, nodeName, zone }: Endpoint): string[] {
  return [
    line(1, '- Addresses:', addresses.join(', ')),
    line(2, 'Conditions:'),
    line(3, 'Ready:', textOf(conditions?.ready)),
    line(2, 'Hostname:', textOf(hostname)),
    ...(targetRef === undefined ? [] : [line(2, 'TargetRef:', `${targetRef.kind ?? ''}/${targetRef.name ?? ''}`)]),
    line(2, 'NodeName:', textOf(nodeName)),
    line(2, 'Zone:', textOf(zone)),
  ];
}

function textOf(value: string | number | boolean | undefined): string {
  return value === undefined ? '<unset>' : String(value);
}
