import {
  type CertificatesCertificateSigningRequest,
  humanDuration,
  ipText,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { formatDate } from '../../base/age.ts';
import { derIdentifier, derText, type DerValue, derValues } from '../../text/der.ts';
import { labelText } from '../../text/labels.ts';
import { line } from '../lines.ts';
import { describeAnyKind } from './any-kind.ts';

/** The lines of `describe` about a CertificateSigningRequest, without its events. */
export function describeSigningRequest(request: StoredKubeObject & CertificatesCertificateSigningRequest): string[] {
  const { metadata, spec, status } = request;
  const parsed = parsedRequest(spec.request);
  if (parsed === undefined) return describeAnyKind(request);
  const { expirationSeconds: seconds, signerName, username = '' } = spec;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Labels:', labelText(metadata.labels)),
    line(0, 'Annotations:', labelText(metadata.annotations)),
    line(0, 'CreationTimestamp:', formatDate(metadata.creationTimestamp)),
    line(0, 'Requesting User:', username),
    ...(signerName === '' ? [] : [line(0, 'Signer:', signerName)]),
    ...(seconds === undefined ? [] : [line(0, 'Requested Duration:', humanDuration(seconds * 1000))]),
    line(0, 'Status:', stateOf(status)),
    line(0, 'Subject:'),
    ...describeSubject(parsed.subject),
    ...describeNames(parsed.names),
  ];
}

/** Source: kubectl describe.go, extractCSRStatus. */
function stateOf(status: CertificatesCertificateSigningRequest['status']): string {
  const types = new Set(status?.conditions?.map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return [decision, ...(types.has('Failed') ? ['Failed'] : []), ...(status?.certificate ? ['Issued'] : [])].join(',');
}

/** The parts of a subject that have several values, in kubectl's order, by their identifier. */
const LISTS: ReadonlyArray<readonly [identifier: string, title: string]> = [
  ['2.5.4.10', 'Organization'],
  ['2.5.4.11', 'Organizational Unit'],
  ['2.5.4.6', 'Country'],
  ['2.5.4.7', 'Locality'],
  ['2.5.4.8', 'Province'],
  ['2.5.4.9', 'StreetAddress'],
  ['2.5.4.17', 'PostalCode'],
];

type NameParts = ReadonlyArray<readonly [identifier: string, value: string]>;

function describeSubject(subject: NameParts): string[] {
  const valuesOf = (wanted: string): string[] =>
    subject.flatMap(([identifier, value]) => (identifier === wanted ? [value] : []));
  return [
    line(0, '', 'Common Name:', valuesOf('2.5.4.3').at(-1) ?? ''),
    line(0, '', 'Serial Number:', valuesOf('2.5.4.5').at(-1) ?? ''),
    ...LISTS.flatMap(([identifier, title]) => describeList(title, valuesOf(identifier))),
  ];
}

/** The kinds of names, in kubectl's order, by the tag of their choice. Source: RFC 5280, 4.2.1.6. */
const NAMES: ReadonlyArray<readonly [tag: number, title: string]> = [
  [0x82, 'DNS Names'],
  [0x81, 'Email Addresses'],
  [0x86, 'URIs'],
  [0x87, 'IP Addresses'],
];

function describeNames(names: readonly DerValue[]): string[] {
  const textOf = (name: DerValue): string => (name.tag === 0x87 ? addressText(name) : derText(name));
  const lines = NAMES.flatMap(([tag, title]) =>
    describeList(title, names.filter((name) => name.tag === tag).map(textOf)),
  );
  return lines.length === 0 ? [] : [line(0, 'Subject Alternative Names:'), ...lines];
}

function addressText({ content }: DerValue): string {
  let bits = 0n;
  for (const byte of content) bits = bits * 0x1_00n + BigInt(byte);
  return ipText({ bits, count: content.length === 4 ? 32 : 128 });
}

function describeList(title: string, values: readonly string[]): string[] {
  return values.map((value, index) => line(0, '', index === 0 ? `${title}:` : '', value));
}

interface ParsedRequest {
  readonly subject: NameParts;
  /** The alternative names, each a GeneralName. */
  readonly names: readonly DerValue[];
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';

/** Reads a request for a certificate, in base64 of PEM. Undefined: it is none. Source: RFC 2986, 4. */
function parsedRequest(request: string): ParsedRequest | undefined {
  try {
    const pem = /-----BEGIN CERTIFICATE REQUEST-----([^-]+)-----END/.exec(atob(request))?.[1];
    if (pem === undefined) return undefined;
    const [whole] = derValues(bytesOf(pem));
    const [info] = partsOf(whole);
    const [, subject, , attributes] = partsOf(info);
    return {
      subject: partsOf(subject).flatMap((set) => partsOf(set).map(namedValue)),
      names: partsOf(attributes).flatMap(namesInAttribute),
    };
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64.replace(/\s/g, '')), (char) => char.charCodeAt(0));
}

function partsOf(value: DerValue | undefined): DerValue[] {
  return value === undefined ? [] : derValues(value.content);
}

function namedValue(pair: DerValue): readonly [string, string] {
  const [identifier, value] = partsOf(pair);
  return [identifier === undefined ? '' : derIdentifier(identifier), value === undefined ? '' : derText(value)];
}

function namesInAttribute(attribute: DerValue): DerValue[] {
  const [identifier, values] = partsOf(attribute);
  if (identifier === undefined || derIdentifier(identifier) !== EXTENSION_REQUEST) return [];
  return partsOf(values)
    .flatMap(partsOf)
    .flatMap((extension) => {
      const parts = partsOf(extension);
      const [named] = parts;
      if (named === undefined || derIdentifier(named) !== ALTERNATIVE_NAMES) return [];
      return partsOf(parts.at(-1)).flatMap(partsOf);
    });
}
