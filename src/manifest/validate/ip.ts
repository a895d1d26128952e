import { canonicalIp, ipBits } from '../../api/index.ts';
import { type FieldError, invalid } from '../base/field-error.ts';

const IP_MESSAGE = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const CIDR_MESSAGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const LEADING_ZEROS_MESSAGE = 'must not have leading 0s';

const MAPPED_IPV4 = /^::ffff:(?=.*\.)/i;

export type IpFamily = 'IPv4' | 'IPv6';

function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^[0-9]{1,4}$/.test(part) && Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const hasIPv4 = last.includes('.');
  const plain = hasIPv4 ? groups.slice(0, -1) : groups;
  if (hasIPv4 && !isIPv4(last)) return false;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const count = plain.length + (hasIPv4 ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

/** The family of an address, leading zeros allowed. Undefined when the text is no address. */
export function ipFamily(text: string): IpFamily | undefined {
  if (isIPv4(text)) return 'IPv4';
  return text.includes(':') && isIPv6(text) ? 'IPv6' : undefined;
}

/** Requires an address without leading zeros. Source: apimachinery/pkg/util/validation/ip.go, IsValidIP. */
export function validateIp(path: string, text: string): FieldError[] {
  const family = ipFamily(text);
  if (family === undefined) return [invalid(path, text, IP_MESSAGE)];
  if (family === 'IPv4') return hasLeadingZeros(text) ? [invalid(path, text, LEADING_ZEROS_MESSAGE)] : [];
  return MAPPED_IPV4.test(text) ? [invalid(path, text, 'must not be an IPv4-mapped IPv6 address')] : [];
}

function hasLeadingZeros(address: string): boolean {
  return address.split('.').some((part) => part.length > 1 && part.startsWith('0'));
}

/** A block of addresses. */
interface CidrBlock {
  /** The bits of the prefix alone. */
  readonly prefix: bigint;
  readonly length: number;
  /** 32 or 128. */
  readonly count: number;
}

/** Reads a block in any form that once was valid: leading zeros, bits beyond the prefix. Undefined for other text. */
export function readCidr(text: string): CidrBlock | undefined {
  const { network, bits } = cidrParts(text);
  const family = ipFamily(network);
  const length = Number(bits);
  if (family === undefined || bits === '' || length > (family === 'IPv4' ? 32 : 128)) return undefined;
  const { bits: address, count } = ipBits(network);
  return { prefix: address >> BigInt(count - length), length, count };
}

/** True when a block is a part of another one, and smaller. */
export function isStrictlyWithin(inner: CidrBlock, outer: CidrBlock): boolean {
  if (inner.count !== outer.count || inner.length <= outer.length) return false;
  return inner.prefix >> BigInt(inner.length - outer.length) === outer.prefix;
}

/**
 * Requires a network: an address with the length of its prefix, without bits beyond it. Source:
 * apimachinery/pkg/util/validation/ip.go, IsValidCIDRForLegacyField with strict validation, which a cluster has.
 */
export function validateCidr(path: string, text: string): FieldError[] {
  const block = readCidr(text);
  if (block === undefined) return [invalid(path, text, CIDR_MESSAGE)];
  const { network, bits } = cidrParts(text);
  if ((block.count === 32 && hasLeadingZeros(network)) || String(block.length) !== bits)
    return [invalid(path, text, 'must not have leading 0s in IP or prefix length')];
  if (MAPPED_IPV4.test(network)) return [invalid(path, text, 'must not have an IPv4-mapped IPv6 address')];
  const isNetwork = block.prefix << BigInt(block.count - block.length) === ipBits(network).bits;
  return isNetwork ? [] : [invalid(path, text, 'must not have bits set beyond the prefix length')];
}

/** The text of a valid network as the API server writes it. */
export function canonicalCidr(text: string): string {
  const { network, bits } = cidrParts(text);
  return `${canonicalIp(network)}/${bits}`;
}

function cidrParts(text: string): { readonly network: string; readonly bits: string } {
  const [, network = '', bits = ''] = /^([^/]+)\/([0-9]+)$/.exec(text) ?? [];
  return { network, bits };
}

/** True for an address in a block. Both are valid. */
export function isInCidr(cidr: string, address: string): boolean {
  const block = readCidr(cidr);
  const { bits, count } = ipBits(address);
  return block !== undefined && block.count === count && bits >> BigInt(count - block.length) === block.prefix;
}

/** Requires a network in its canonical form. Source: apimachinery/pkg/util/validation/ip.go, IsValidCIDR. */
export function validateCanonicalCidr(path: string, text: string): FieldError[] {
  const errors = validateCidr(path, text);
  const canonical = errors.length > 0 ? text : canonicalCidr(text);
  return text === canonical ? errors : [invalid(path, text, `must be in canonical form ("${canonical}")`)];
}

/** Refuses addresses with a special meaning. Source: ValidateNonSpecialIP. */
export function validateOrdinaryIp(path: string, text: string): FieldError[] {
  const lower = text.toLowerCase();
  const messages: [RegExp, string][] = [
    [/^(?:0\.0\.0\.0|::)$/, `may not be unspecified (${text})`],
    [/^(?:127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [/^(?:169\.254\.|fe[89ab][0-9a-f]:)/, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [/^(?:224\.0\.0\.|ff[0-9a-f]2:)/, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ];
  return messages.filter(([form]) => form.test(lower)).map(([, message]) => invalid(path, text, message));
}
