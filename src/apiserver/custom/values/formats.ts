import { isIP, isIPv4, isIPv6 } from 'node:net';
import { parseDuration, subdomainMessages } from '../../../api/index.ts';
import { succeeds } from '../../../quietly.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}([.,]\d+)?([Zz]|[+-]\d{2}:?\d{2})?$/;
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;
const COLOR = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;
const RGB_COLOR = /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The formats of texts that are checked. An unknown format permits everything. Source: apiextensions,
 * pkg/apiserver/validation/formats.go.
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: (text) => BASE64.test(text),
  cidr: isCidr,
  creditcard: (text) => /^\d[\d -]{11,22}$/.test(text),
  date: (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  duration: (text) => succeeds(() => parseDuration(text)),
  email: (text) => EMAIL.test(text),
  hexcolor: (text) => COLOR.test(text),
  hostname: (text) => HOST_NAME.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  isbn: (text) => /^(97[89])?\d{9}[\dX]$/.test(text.replaceAll(/[ -]/g, '')),
  isbn10: (text) => /^\d{9}[\dX]$/.test(text.replaceAll(/[ -]/g, '')),
  isbn13: (text) => /^97[89]\d{10}$/.test(text.replaceAll(/[ -]/g, '')),
  k8sshortname: (text) => DNS_LABEL.test(text),
  k8slongname: (text) => subdomainMessages(text).length === 0,
  mac: (text) => MAC.test(text),
  password: () => true,
  rgbcolor: (text) => RGB_COLOR.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID.test(text) && text.replaceAll('-', '').charAt(12) === '3',
  uuid4: (text) => UUID.test(text) && text.replaceAll('-', '').charAt(12) === '4',
  uuid5: (text) => UUID.test(text) && text.replaceAll('-', '').charAt(12) === '5',
};

function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
}

/** True when a text has a format. `date-time` and `datetime` are the same. */
export function hasFormat(format: string, text: string): boolean {
  return !isKnownFormat(format) || FORMATS[format.replaceAll('-', '')]?.(text) === true;
}

/** True for a format whose texts are checked. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, format.replaceAll('-', ''));
}
