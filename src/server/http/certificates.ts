import type { webcrypto } from 'node:crypto';
import type { Extension, JsonName, X509Certificate } from '@peculiar/x509';

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

/** A CA. Its private key is kept nowhere else: it signs as long as this process has it. */
export interface CertificateAuthority {
  /** PEM. */
  readonly certificate: string;
  /** Makes the certificate of a server. */
  readonly certifyServer: (name: string, hosts: CertifiedHosts) => Promise<KeyPair>;
  /** Makes the certificate of a user: the name, and an organization for each group. */
  readonly certifyClient: (name: string, groups: readonly string[]) => Promise<KeyPair>;
}

type Signed = Pick<CertificateAuthority, 'certificate'>;

/** Makes the certificate of a CA, and with it the certificate of a server. */
export async function makeCertificates(
  hosts: CertifiedHosts,
  nowMs: number,
): Promise<{ readonly ca: Signed; readonly server: KeyPair }> {
  const ca = await makeAuthority('podrun', nowMs);
  return { ca, server: await ca.certifyServer('kubernetes', hosts) };
}

/** Makes the certificate of a CA, and with it the certificate of a client. */
export async function makeClientCertificates(
  names: { readonly ca: string; readonly client: string },
  nowMs: number,
): Promise<{ readonly ca: Signed; readonly client: KeyPair }> {
  const ca = await makeAuthority(names.ca, nowMs);
  return { ca, client: await ca.certifyClient(names.client, []) };
}

/** Makes a CA. */
export async function makeAuthority(ca: string, nowMs: number): Promise<CertificateAuthority> {
  const x509 = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const times = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + DAYS * DAY_MS) };
  const newKeys = (): Promise<webcrypto.CryptoKeyPair> => subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const keys = await newKeys();
  const issuer = `CN=${ca}`;
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    ...times,
    name: issuer,
    serialNumber: '01',
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const pem = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;
  let serial = 1;
  const certify = async (subject: JsonName, usage: string, more: readonly Extension[]): Promise<KeyPair> => {
    const { publicKey, privateKey } = await newKeys();
    serial += 1;
    const certificate = await x509.X509CertificateGenerator.create({
      ...times,
      subject,
      issuer,
      serialNumber: serial.toString(16).padStart(4, '0'),
      signingAlgorithm: ALGORITHM,
      signingKey: keys.privateKey,
      publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.ExtendedKeyUsageExtension([usage], false),
        ...more,
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    const key = x509.PemConverter.encode(await subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
    return { certificate: pem(certificate), key: `${key}\n` };
  };
  return {
    certificate: pem(own),
    certifyServer: (name, { names, addresses }) => {
      const places = [
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ];
      const alternatives = places.length > 0 ? [new x509.SubjectAlternativeNameExtension(places)] : [];
      return certify([{ CN: [name] }], x509.ExtendedKeyUsage.serverAuth, alternatives);
    },
    certifyClient: (name, groups) =>
      certify([...groups.map((group) => ({ O: [group] })), { CN: [name] }], x509.ExtendedKeyUsage.clientAuth, []),
  };
}
