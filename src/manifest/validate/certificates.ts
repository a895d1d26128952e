import { type CertificatesCertificateSigningRequest, subdomainMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid, required } from '../base/field-error.ts';
import { each, oneOfIfSet, repeated } from './checks.ts';

/** Source of all rules here: pkg/apis/certificates/validation/validation.go. */

const LEGACY = 'kubernetes.io/legacy-unknown';
const SECONDS_MIN = 600;
const SIGNER_FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

/** The uses of a key. Source: pkg/apis/certificates/types.go. */
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function validateSigningRequest({ spec = {} }: Decoded<CertificatesCertificateSigningRequest>): FieldError[] {
  const { request = '', usages = [], signerName = '', expirationSeconds: seconds } = spec;
  const isPem = Buffer.from(request, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE REQUEST-----');
  return [
    ...(isPem ? [] : [invalid('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST')]),
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...each('spec.usages', usages, (usage, at) => oneOfIfSet(at, usage, USAGES)),
    ...repeated('spec.usages', usages, (usage) => usage),
    ...validateSigner('spec.signerName', signerName),
    ...(seconds !== undefined && seconds < SECONDS_MIN
      ? [
          invalid(
            'spec.expirationSeconds',
            seconds,
            `may not specify a duration less than ${SECONDS_MIN} seconds (10 minutes)`,
          ),
        ]
      : []),
  ];
}

/** Source: ValidateSignerName of pkg/apis/core/validation/names.go. */
function validateSigner(path: string, name: string): FieldError[] {
  if (name === '') return [required(path)];
  if (name === LEGACY) return [invalid(path, name, 'the legacy signerName is not allowed via this API version')];
  const [domain = '', signer = '', ...more] = name.split('/');
  if (domain === '' || signer === '' || more.length > 0) return [invalid(path, name, SIGNER_FORM)];
  const wrong = [domain, signer].flatMap((part) => subdomainMessages(part).map((why) => invalid(path, part, why)));
  if (domain.includes('.')) return wrong;
  return [...wrong, invalid(path, domain, 'should be a domain with at least two segments separated by dots')];
}
