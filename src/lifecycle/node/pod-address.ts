/*
 * Addresses of Pods on a machine whose network they share: each Pod has one of its own in 127.0.0.0/8, all of which
 * leads to the machine itself.
 */

/** 127.0.x.y is left alone: the machine's own name, local resolvers and the like are there. */
const SECOND = { first: 1, count: 254 };
const THIRD = { first: 0, count: 256 };
/** Neither .0 nor .255: some programs take them for the address of a network. */
const LAST = { first: 1, count: 254 };
const COUNT = SECOND.count * THIRD.count * LAST.count;
const TRIES_MAX = 10_000;

/** The address of a Pod that shares the machine's network: the same for the same uid, unless it is taken. */
export function loopbackAddress(uid: string, isTaken: (address: string) => boolean): string {
  const first = hash(uid) % COUNT;
  // So many Pods do not run on a machine; what has no room then shares its address.
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const address = addressAt((first + tried) % COUNT);
    if (!isTaken(address)) return address;
  }
  return addressAt(first);
}

function addressAt(index: number): string {
  const last = LAST.first + (index % LAST.count);
  const rest = Math.floor(index / LAST.count);
  const third = THIRD.first + (rest % THIRD.count);
  return `127.${SECOND.first + Math.floor(rest / THIRD.count)}.${third}.${last}`;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93) >>> 0;
  return value;
}
