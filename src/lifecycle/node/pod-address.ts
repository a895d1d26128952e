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

/**
 * The addresses of Pods in the network of the machine: 127.0.0.0/8 leads to the machine itself. Local resolvers and the
 * machine's own name use 127.0.x.y, so Pods do not.
 */
export const LOOPBACK: AddressRange = {
  pattern: /^127\.(?!0\.)/,
  count: 254 * BYTE * LAST.count,
  addressAt: (index) => {
    const rest = Math.floor(index / LAST.count);
    return `127.${1 + Math.floor(rest / BYTE)}.${rest % BYTE}.${LAST.first + (index % LAST.count)}`;
  },
};

/** The addresses of Pods in networks of their own, which contain nothing else. 10.93.0.x stays free. */
export const PRIVATE: AddressRange = {
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
