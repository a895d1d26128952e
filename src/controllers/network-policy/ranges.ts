import { type IPBlock, ipBits, ipText } from '../../api/index.ts';

/**
 * A place in the order of all addresses: IPv4 has the places below 2³², IPv6 those behind, so that no interval of one
 * family has an address of the other. A number where that is exact, which is several times as fast.
 */
export type AddressPlace = number | bigint;

/** Places from the first up to the end, without the end. Sets are intervals in order and apart from each other. */
export interface PlaceRange {
  readonly first: AddressPlace;
  readonly end: AddressPlace;
}

/** Addresses of one family, from the first to the last. Plain data. */
export interface PolicyRange {
  readonly family: 'IPv4' | 'IPv6';
  readonly first: string;
  readonly last: string;
}

const IPV6 = 2 ** 32;
const IPV6_BITS = BigInt(IPV6);
const END = IPV6_BITS + (1n << 128n);
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** All addresses of both families. */
export const EVERYWHERE: readonly PlaceRange[] = [{ first: 0, end: END }];

/** The place of a valid address. An IPv4 address in the form of IPv6, as sockets have it, is one of IPv4. */
export function addressPlace(address: string): AddressPlace {
  const { bits, count } = ipBits(address.replace(MAPPED, ''));
  return placeAt(count === 32 ? bits : IPV6_BITS + bits);
}

/** Equal places are the same value. */
function placeAt(value: bigint): AddressPlace {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** The interval of one address. */
export function addressPlaces(address: string): PlaceRange {
  const first = addressPlace(address);
  return { first, end: placeAt(BigInt(first) + 1n) };
}

/** The places of a block that are in none of its exceptions. */
export function placesOfBlock({ cidr, except = [] }: IPBlock): readonly PlaceRange[] {
  return without([placesOfCidr(cidr)], joined(except.map(placesOfCidr)));
}

function placesOfCidr(cidr: string): PlaceRange {
  const [address = '', length = ''] = cidr.split('/');
  const { bits, count } = ipBits(address);
  const rest = BigInt(count - Number(length));
  const first = ((bits >> rest) << rest) + (count === 32 ? 0n : IPV6_BITS);
  return { first: placeAt(first), end: placeAt(first + (1n << rest)) };
}

/** The union of ranges in any order. */
export function joined(ranges: readonly PlaceRange[]): PlaceRange[] {
  const union: { first: AddressPlace; end: AddressPlace }[] = [];
  for (const { first, end } of ranges.toSorted(byFirst)) {
    const before = union.at(-1);
    if (before === undefined || first > before.end) union.push({ first, end });
    else if (end > before.end) before.end = end;
  }
  return union;
}

function byFirst({ first: one }: PlaceRange, { first: other }: PlaceRange): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** One set without another. */
export function without(ranges: readonly PlaceRange[], cuts: readonly PlaceRange[]): readonly PlaceRange[] {
  if (cuts.length === 0) return ranges;
  const rest: PlaceRange[] = [];
  let next = 0;
  for (const { first, end } of ranges) {
    let from = first;
    while ((cuts[next]?.end ?? END) <= from && next < cuts.length) next += 1;
    for (let at = next; at < cuts.length; at++) {
      const cut = cuts[at];
      if (cut === undefined || cut.first >= end) break;
      if (cut.first > from) rest.push({ first: from, end: cut.first });
      from = cut.end;
    }
    if (from < end) rest.push({ first: from, end });
  }
  return rest;
}

/** True when a set has a place. */
export function hasPlace(ranges: readonly PlaceRange[], place: AddressPlace): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range !== undefined && range.end <= place) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.first <= place;
}

export function isSameSet(one: readonly PlaceRange[], other: readonly PlaceRange[]): boolean {
  if (one.length !== other.length) return false;
  return one.every(({ first, end }, index) => other[index]?.first === first && other[index]?.end === end);
}

/** A set as plain data: an interval over both families becomes two. */
export function policyRanges(ranges: readonly PlaceRange[]): PolicyRange[] {
  return ranges.flatMap(({ first, end }) => {
    if (first >= IPV6 || end <= IPV6) return policyRange(first, end);
    return [policyRange(first, IPV6), policyRange(IPV6, end)];
  });
}

function policyRange(first: AddressPlace, end: AddressPlace): PolicyRange {
  const from = textOf(first);
  const isOne = typeof first === 'number' && typeof end === 'number' && first + 1 === end;
  const last = isOne ? from : textOf(placeAt(BigInt(end) - 1n));
  return { family: first < IPV6 ? 'IPv4' : 'IPv6', first: from, last };
}

function textOf(place: AddressPlace): string {
  if (typeof place === 'number' && place < IPV6) return [24, 16, 8, 0].map((bits) => (place >>> bits) & 255).join('.');
  return ipText({ bits: BigInt(place) - IPV6_BITS, count: 128 });
}

/** A set from plain data. */
export function placesOfRanges(ranges: readonly PolicyRange[]): PlaceRange[] {
  return joined(ranges.map(({ first, last }) => ({ first: addressPlace(first), end: addressPlaces(last).end })));
}
