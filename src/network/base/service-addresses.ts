import type { ServiceSpec } from '../../api/index.ts';

/** The range of the addresses of Services, `spec.clusterIP`: the usual one of a cluster. Each has 65,536 addresses. */
const CLUSTER_RANGE = '10.96.';
/** The same range as a ServiceCIDR has it. */
export const SERVICE_RANGE: string = `${CLUSTER_RANGE}0.0/16`;
/** The range at which this machine, and Pods in its network, reach the same Services. */
const MACHINE_RANGE = '127.96.';

/** The addresses that no Service gets, without the range: the network, the API server, DNS. */
const RESERVED: ReadonlySet<string> = new Set(['0.0', '0.1', '0.10', '255.255']);

/** The address at which this machine reaches a Service: its `clusterIP` with other first numbers. */
export function machineAddress(clusterIP: string): string {
  return isServiceAddress(clusterIP) ? MACHINE_RANGE + clusterIP.slice(CLUSTER_RANGE.length) : clusterIP;
}

/** The `clusterIP` of the Service that this machine reaches at an address. */
export function clusterAddress(address: string): string {
  return address.startsWith(MACHINE_RANGE) ? CLUSTER_RANGE + address.slice(MACHINE_RANGE.length) : address;
}

/** True for an address that a Service may have. */
export function isServiceAddress(address: string): boolean {
  return address.startsWith(CLUSTER_RANGE);
}

/**
 * The address of a new Service. It follows from the name; when it is taken, it is the next free one.
 * @throws {RangeError} when all addresses are taken
 */
export function serviceAddress(name: string, isTaken: (address: string) => boolean): string {
  const first = nameHash(name) % SIZE;
  for (let step = 0; step < SIZE; step++) {
    const number = (first + step) % SIZE;
    const rest = `${number >> BYTE}.${number & BYTE_MAX}`;
    if (!RESERVED.has(rest) && !isTaken(CLUSTER_RANGE + rest)) return CLUSTER_RANGE + rest;
  }
  throw new RangeError(`no address is free in ${SERVICE_RANGE}`);
}

/** The address of the API server for programs without one: it refuses connections. */
export function apiServerAddress(network: 'host' | 'cluster'): string {
  return `${network === 'cluster' ? CLUSTER_RANGE : MACHINE_RANGE}0.1`;
}

/** The port of DNS. */
export const DNS_PORT = 53;

/** The address of podrun's DNS server in the network of a run's own. Source: the usual one of a cluster. */
export const CLUSTER_DNS = '10.96.0.10';
/** The only Service that may have this address. */
export const DNS_SERVICE = { namespace: 'kube-system', name: 'kube-dns' } as const;

/**
 * True for the Service that shows podrun's DNS server: it has the address, and no Pods. Nothing else serves it, and
 * this machine does not reach it.
 */
export function isDnsService(spec: ServiceSpec | undefined): boolean {
  return spec?.clusterIP === CLUSTER_DNS && Object.keys(spec.selector ?? {}).length === 0;
}

/** The address of podrun's DNS server on this machine. State folders have Services of the same names: each its own. */
export function machineDns(place: string): string {
  const hash = nameHash(`${place} dns`);
  return `127.97.${(hash >> BYTE) & BYTE_MAX}.${hash & BYTE_MAX}`;
}

const BYTE = 8;
const BYTE_MAX = 255;
const SIZE = 65_536;

/** FNV-1a, 32 bits. */
export function nameHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
