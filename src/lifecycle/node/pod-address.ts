/** A range of Pod addresses: its size, and the address of an index below the size. */
export interface AddressRange {
  /** The pattern of these addresses, which no address of the machine itself matches. */
  readonly pattern: RegExp;
  readonly count: number;
  readonly addressAt: (index: number) => string;
}

// Neither .0 nor .255 as the last byte: some programs take them for the address of a network.
const LAST = { first: 1, count: 254 };
const BYTE = 256;

/** The second byte of the addresses of nodes, which Pods do not have: on this machine, and in a cluster network. */
const NODES = 91;
const NODES_IN_CLUSTER = 92;
const ON_MACHINE = `127.${NODES}.`;
const IN_CLUSTER = `10.${NODES_IN_CLUSTER}.`;

/** The address of this machine's node in a cluster network: no declared node has it. */
const MACHINE_IN_CLUSTER = `${IN_CLUSTER}255.254`;
const LOCALHOST = '127.0.0.1';

/**
 * The addresses of Pods in the network of the machine: 127.0.0.0/8 leads to the machine itself. Local resolvers and the
 * machine's own name use 127.0.x.y, so Pods do not.
 */
export const LOOPBACK: AddressRange = {
  pattern: /^127\.(?!0\.|91\.)/,
  count: 253 * BYTE * LAST.count,
  addressAt: (index) => {
    const rest = Math.floor(index / LAST.count);
    const second = 1 + Math.floor(rest / BYTE);
    return `127.${second < NODES ? second : second + 1}.${rest % BYTE}.${LAST.first + (index % LAST.count)}`;
  },
};

/**
 * The address of a declared node on this machine, and the range of its Pods in a cluster network.
 * @param number from 1 on; above 254, the Pods of several nodes share a range
 */
export function nodePlace(number: number): { readonly address: string; readonly podCIDR: string } {
  const rest = number - 1;
  return {
    address: `127.${NODES}.${Math.floor(rest / LAST.count)}.${LAST.first + (rest % LAST.count)}`,
    podCIDR: `10.93.${1 + (rest % LAST.count)}.0/24`,
  };
}

/** The address of a node in a cluster network. @param address on this machine */
export function nodeInCluster(address: string): string {
  if (address === LOCALHOST) return MACHINE_IN_CLUSTER;
  return address.startsWith(ON_MACHINE) ? IN_CLUSTER + address.slice(ON_MACHINE.length) : address;
}

/** The address of a node on this machine. @param address either of its addresses */
export function nodeOnMachine(address: string): string {
  if (address === MACHINE_IN_CLUSTER) return LOCALHOST;
  return isNodeInCluster(address) ? ON_MACHINE + address.slice(IN_CLUSTER.length) : address;
}

/** True for the address of a node in a cluster network. */
export function isNodeInCluster(address: string): boolean {
  return address.startsWith(IN_CLUSTER);
}

/** True for an address in the networks of Pods: of a Pod, or of a node. */
export function isInCluster(address: string): boolean {
  return PRIVATE.pattern.test(address) || isNodeInCluster(address);
}

/** The addresses of Pods of a node in networks of their own. @param podCIDR undefined: the node has no range */
export function privateRange(podCIDR: string | undefined): AddressRange {
  if (podCIDR === undefined) return PRIVATE;
  const prefix = podCIDR.slice(0, podCIDR.lastIndexOf('.'));
  return { ...PRIVATE, count: LAST.count, addressAt: (index) => `${prefix}.${LAST.first + index}` };
}

/** The addresses of Pods in networks of their own, which contain nothing else. 10.93.0.x stays free. */
const PRIVATE: AddressRange = {
  pattern: /^10\.93\.(?!0\.)/,
  count: 254 * LAST.count,
  addressAt: (index) => `10.93.${1 + Math.floor(index / LAST.count)}.${LAST.first + (index % LAST.count)}`,
};

const TRIES_MAX = 10_000;

/** The address of a Pod: the same for the same uid, unless it is taken. */
export function podAddress(
  { count, addressAt }: AddressRange,
  uid: string,
  isTaken: (address: string) => boolean,
): string {
  const first = hash(uid) % count;
  // A machine never runs so many Pods. A Pod without a free address shares one.
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const address = addressAt((first + tried) % count);
    if (!isTaken(address)) return address;
  }
  return addressAt(first);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93) >>> 0;
  return value;
}
