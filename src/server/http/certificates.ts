import type { webcrypto } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';

/** The validity of certificates. A server renews them when less than a tenth of it is left. */
const DAYS = 3650;
const DAY_MS = 24 * 60 * 60 * 1000;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The names and addresses for which the certificate of a server holds. */
export interface CertifiedHosts {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

/** The certificate of a CA, and one that it has signed. */
interface Certified {
  readonly ca: KeyPair;
  readonly holder: KeyPair;
}

/** Makes the certificate of a CA, and with it the certificate of a server. */
export async function makeCertificates(
  hosts: CertifiedHosts,
  nowMs: number,
): Promise<{ readonly ca: KeyPair; readonly server: KeyPair }> {
  const { ExtendedKeyUsage } = await import('@peculiar/x509');
  const names = { ca: 'podrun', holder: 'kubernetes' };
  const { ca, holder } = await certified(names, { usage: ExtendedKeyUsage.serverAuth, hosts }, nowMs);
  return { ca, server: holder };
}

/** Makes the certificate of a CA, and with it the certificate of a client. */
export async function makeClientCertificates(
  names: { readonly ca: string; readonly client: string },
  nowMs: number,
): Promise<{ readonly ca: KeyPair; readonly client: KeyPair }> {
  const { ExtendedKeyUsage } = await import('@peculiar/x509');
  const all = { ca: names.ca, holder: names.client };
  const { ca, holder } = await certified(all, { usage: ExtendedKeyUsage.clientAuth, hosts: undefined }, nowMs);
  return { ca, client: holder };
}

async function certified(
  names: { readonly ca: string; readonly holder: string },
  { usage, hosts }: { readonly usage: string; readonly hosts: CertifiedHosts | undefined },
  nowMs: number,
): Promise<Certified> {
  const x509 = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const times = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + DAYS * DAY_MS) };
  const [caKeys, holderKeys] = await Promise.all(
    [1, 2].map(() => subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])),
  );
  if (caKeys === undefined || holderKeys === undefined) throw new Error('there are no keys');
  const name = `CN=${names.ca}`;
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...times,
    name,
    serialNumber: '01',
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const places = [
    ...(hosts?.names ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(hosts?.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const holder = await x509.X509CertificateGenerator.create({
    ...times,
    subject: `CN=${names.holder}`,
    issuer: name,
    serialNumber: '02',
    signingAlgorithm: ALGORITHM,
    signingKey: caKeys.privateKey,
    publicKey: holderKeys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([usage], false),
      ...(places.length > 0 ? [new x509.SubjectAlternativeNameExtension(places)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const pair = async (certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Promise<KeyPair> => ({
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(await subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`,
  });
  return { ca: await pair(ca, caKeys), holder: await pair(holder, holderKeys) };
}
