import {
  CLUSTER_DOMAIN,
  type DiscoveryEndpointPort,
  isReadyEndpoint,
  type StoredEndpointSlice,
  type StoredService,
} from '../../api/index.ts';
import { addressForPods, podsPort, type ServicePlace, slicesOf } from '../base/listeners-of-services.ts';
import { apiServerAddress } from '../base/service-addresses.ts';

/** A record of one name. The fields are the fields of a record of dns-packet, without name and class. */
export type DnsRecord =
  | { readonly type: 'A' | 'CNAME' | 'PTR' | 'TXT'; readonly data: string }
  | {
      readonly type: 'SRV';
      readonly data: {
        readonly priority: number;
        readonly weight: number;
        readonly port: number;
        readonly target: string;
      };
    };

/** A name with all of its records. Plain data: the agent may send it to a helper process. */
export interface DnsName {
  readonly name: string;
  /** Empty: the name exists, and leads nowhere at the moment. */
  readonly records: readonly DnsRecord[];
  /** True for records of Pods, which hold as long as the Pods are ready. */
  readonly isOfPods?: boolean;
}

/** The version of Kubernetes' schema of these names. */
const SCHEMA_VERSION = '1.1.0';
/** The weights of the endpoints of a port add up to this. Source: CoreDNS, plugin/kubernetes. */
const WEIGHT = 100;

/**
 * The names of Services and of their endpoints, as the DNS server of a cluster has them. Source: Kubernetes' DNS-based
 * service discovery; CoreDNS, plugin/kubernetes.
 */
export function dnsNames(
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
  place: ServicePlace,
): DnsName[] {
  const named = [
    { name: `dns-version.${CLUSTER_DOMAIN}`, records: [{ type: 'TXT', data: SCHEMA_VERSION } as const] },
    ...(services.some(isApiServer) ? [] : apiServer(place)),
    ...services.flatMap((service) => namesOf(service, slicesOf(service, slices), place)),
  ];
  const all = new Map<string, DnsName>();
  for (const each of named) {
    const { records = [] } = all.get(each.name) ?? {};
    all.set(each.name, { ...each, records: [...records, ...each.records] });
  }
  return [...all.values()];
}

/** True for the Service of the API server, which a user may have written. */
const isApiServer = ({ metadata: { namespace, name } }: StoredService): boolean =>
  namespace === 'default' && name === 'kubernetes';

/** The API server's name, which exists in each cluster. */
function apiServer({ network }: ServicePlace): DnsName[] {
  const name = `kubernetes.default.svc.${CLUSTER_DOMAIN}`;
  const address = apiServerAddress(network);
  const https = srv(443, WEIGHT, name);
  return [
    { name, records: [{ type: 'A', data: address }] },
    { name: `_https._tcp.${name}`, records: [https] },
    { name: reverseName(address), records: [{ type: 'PTR', data: name }] },
  ];
}

function namesOf(service: StoredService, slices: readonly StoredEndpointSlice[], place: ServicePlace): DnsName[] {
  const { metadata, spec = {} } = service;
  const name = `${metadata.name}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}`;
  if (spec.type === 'ExternalName') return [{ name, records: [{ type: 'CNAME', data: spec.externalName ?? '' }] }];
  const address = addressForPods(service, place);
  if (address === undefined) return headlessNames(name, slices).map((each) => ({ ...each, isOfPods: true }));
  return [
    { name, records: [{ type: 'A', data: address }] },
    { name: reverseName(address), records: [{ type: 'PTR', data: name }] },
    ...(spec.ports ?? []).flatMap((port) => portName(port, name, srv(podsPort(port.port, place), WEIGHT, name))),
  ];
}

/** The names of a headless Service: each ready endpoint has a record of its own. */
function headlessNames(name: string, slices: readonly StoredEndpointSlice[]): DnsName[] {
  const ready = slices
    .filter(({ addressType }) => addressType === 'IPv4')
    .flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).filter(isReadyEndpoint).flatMap(({ addresses, hostname }) =>
        addresses.map((address) => {
          return { address, host: `${hostname ?? address.replaceAll('.', '-')}.${name}`, ports: ports ?? [] };
        }),
      ),
    );
  const weight = Math.max(1, Math.floor(WEIGHT / ready.length));
  return [
    { name, records: ready.map(({ address }) => ({ type: 'A', data: address })) },
    ...ready.flatMap(({ address, host, ports }): DnsName[] => [
      { name: host, records: [{ type: 'A', data: address }] },
      { name: reverseName(address), records: [{ type: 'PTR', data: host }] },
      ...ports.flatMap((port) => (port.port === undefined ? [] : portName(port, name, srv(port.port, weight, host)))),
    ]),
  ];
}

/** The name of a port. Ports without a name have none. */
function portName({ name, protocol = 'TCP' }: DiscoveryEndpointPort, service: string, record: DnsRecord): DnsName[] {
  return name ? [{ name: `_${name}._${protocol.toLowerCase()}.${service}`, records: [record] }] : [];
}

function srv(port: number, weight: number, target: string): DnsRecord {
  return { type: 'SRV', data: { priority: 0, weight, port, target } };
}

function reverseName(address: string): string {
  return `${address.split('.').toReversed().join('.')}.in-addr.arpa`;
}
