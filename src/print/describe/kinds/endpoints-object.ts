import type { EndpointAddress, Endpoints, EndpointSubset, StoredKubeObject } from '../../../api/index.ts';
import { line } from '../line.ts';
import { describeIdentity } from '../metadata.ts';

/** The lines of `describe` about an Endpoints object, without its events. Source: describe.go, describeEndpoints. */
export function describeEndpoints(endpoints: StoredKubeObject & Endpoints): string[] {
  return [...describeIdentity(endpoints), 'Subsets:', ...(endpoints.subsets ?? []).flatMap(describeSubset)];
}

function describeSubset({ addresses, notReadyAddresses, ports = [] }: EndpointSubset): string[] {
  return [
    line(1, 'Addresses:', list(addresses)),
    line(1, 'NotReadyAddresses:', list(notReadyAddresses)),
    ...(ports.length === 0 ? [] : [line(1, 'Ports:'), line(2, 'Name', 'Port', 'Protocol')]),
    ...(ports.length === 0 ? [] : [line(2, '----', '----', '--------')]),
    ...ports.map(({ name, port, protocol = 'TCP' }) => line(2, name || '<unset>', String(port), protocol)),
    '',
  ];
}

function list(addresses: readonly EndpointAddress[] = []): string {
  return addresses.map(({ ip }) => ip).join(',') || '<none>';
}
