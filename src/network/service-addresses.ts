/** A range of 65,536 addresses for Services: the first two numbers, with a dot behind each. */
export type ServiceRange = '10.96.' | '127.96.';

/** The addresses of Services in the network of a run's own (`cluster`). */
export const CLUSTER_RANGE: ServiceRange = '10.96.';
/** The addresses of Services on this machine. */
export const MACHINE_RANGE: ServiceRange = '127.96.';

/** The addresses of each range that no Service gets, without the range: the network, the API server, DNS. */
const RESERVED: ReadonlySet<string> = new Set(['0.0', '0.1', '0.10', '255.255']);

/** The address at which this machine serves a Service: that of `cluster` with other first numbers. */
export function machineAddress(clusterIP: string): string {
  return hasRange(CLUSTER_RANGE, clusterIP) ? MACHINE_RANGE + clusterIP.slice(CLUSTER_RANGE.length) : clusterIP;
}

/** The address at which Pods in a network of their own reach a Service. */
export function podsAddress(clusterIP: string): string {
  return hasRange(MACHINE_RANGE, clusterIP) ? CLUSTER_RANGE + clusterIP.slice(MACHINE_RANGE.length) : clusterIP;
}

/** The range of the Services that are created beside Pods of this network: see NETWORK_CHOICES. */
export function rangeOf(network: string | undefined): ServiceRange {
  return network === 'cluster' ? CLUSTER_RANGE : MACHINE_RANGE;
}

export function hasRange(range: ServiceRange, address: string): boolean {
  return address.startsWith(range);
}

/**
 * The address of a new Service. It follows from the name; when it is taken, it is the next free one.
 * @throws {RangeError} when all addresses are taken
 */
export function serviceAddress(range: ServiceRange, name: string, isTaken: (address: string) => boolean): string {
  const first = nameHash(name) % SIZE;
  for (let step = 0; step < SIZE; step++) {
    const number = (first + step) % SIZE;
    const rest = `${number >> BYTE}.${number & BYTE_MAX}`;
    if (!RESERVED.has(rest) && !isTaken(range + rest)) return range + rest;
  }
  throw new RangeError(`no address is free in ${range}0.0/16`);
}

/** The address of the API server, which programs in a cluster find in their variables. podrun has none: it refuses. */
export function apiServerAddress(range: ServiceRange): string {
  return `${range}0.1`;
}

/** The port of DNS. */
export const DNS_PORT = 53;

/** The address of podrun's DNS server in the network of a run's own. Source: the usual one of a cluster. */
export const CLUSTER_DNS = '10.96.0.10';

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
