import type { ServiceSpec } from '../../api/index.ts';

/** The range of the addresses of Services, `spec.clusterIP`: the usual one of a cluster. Each has 65,536 addresses. */
const CLUSTER_RANGE = '10.96.';
/** The same range as a ServiceCIDR has it. */
export const SERVICE_RANGE: string = `${CLUSTER_RANGE}0.0/16`;
/** The range at which this machine, and Pods in its network, reach the same Services. */
const MACHINE_RANGE = '127.96.';

/** The addresses that no Service gets, counted from the beginning of the range: the network, the API server, DNS. */
const RESERVED: ReadonlySet<number> = new Set([0, 1, 10]);

/** The address at which this machine reaches a Service: its `clusterIP` with other first numbers. */
export function machineAddress(clusterIP: string): string {
  return isServiceAddress(clusterIP) ? MACHINE_RANGE + clusterIP.slice(CLUSTER_RANGE.length) : clusterIP;
}

/** The `clusterIP` of the Service that this machine reaches at an address. */
export function clusterAddress(address: string): string {
  return address.startsWith(MACHINE_RANGE) ? CLUSTER_RANGE + address.slice(MACHINE_RANGE.length) : address;
}

/** True for an address that a Service may have. */
export function isServiceAddress(address: string, range: string = SERVICE_RANGE): boolean {
  const { first, size } = boundsOf(range);
  const number = numberOf(address);
  return number >= first && number < first + size;
}

/** The address of the API server in a range of addresses of Services. */
export function firstServiceAddress(range: string): string {
  return addressOf(boundsOf(range).first + 1);
}

/**
 * The address of a new Service. It follows from the name; when it is taken, it is the next free one.
 * @throws {RangeError} when all addresses are taken
 */
export function serviceAddress(
  name: string,
  isTaken: (address: string) => boolean,
  range: string = SERVICE_RANGE,
): string {
  const { first, size } = boundsOf(range);
  const start = nameHash(name) % size;
  for (let step = 0; step < size; step++) {
    const number = (start + step) % size;
    const address = addressOf(first + number);
    if (!RESERVED.has(number) && number !== size - 1 && !isTaken(address)) return address;
  }
  throw new RangeError(`no address is free in ${range}`);
}

/** The first address of a CIDR of IPv4 as a number, and the number of addresses in it. */
function boundsOf(range: string): { readonly first: number; readonly size: number } {
  const [address = '', bits = '32'] = range.split('/');
  const size = 2 ** (ADDRESS_BITS - Number(bits));
  const number = numberOf(address);
  return { first: number - (number % size), size };
}

/** The number of an address of IPv4. NaN: it is none. */
function numberOf(address: string): number {
  const bytes = address.split('.').map(Number);
  return bytes.length === 4 ? bytes.reduce((number, byte) => number * (BYTE_MAX + 1) + byte, 0) : Number.NaN;
}

function addressOf(number: number): string {
  return [24, 16, BYTE, 0].map((bits) => (number >>> bits) & BYTE_MAX).join('.');
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
const ADDRESS_BITS = 32;

/** FNV-1a, 32 bits. */
export function nameHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
