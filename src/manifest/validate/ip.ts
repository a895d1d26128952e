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

/** Requires an address with the length of its prefix. */
export function validateCidr(path: string, text: string): FieldError[] {
  const match = /^(.+)\/([0-9]{1,3})$/.exec(text);
  const [, address = '', bits = ''] = match ?? [];
  const family = ipFamily(address);
  if (family === undefined || Number(bits) > (family === 'IPv4' ? 32 : 128)) return [invalid(path, text, CIDR_MESSAGE)];
  if (family === 'IPv4' && hasLeadingZeros(address)) return [invalid(path, text, LEADING_ZEROS_MESSAGE)];
  return [];
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
