import type { webcrypto } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';

/** How long certificates hold. A server makes new ones when the rest is shorter than a tenth of it. */
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

/** Makes the certificate of a CA, and with it the certificate of a server. */
export async function makeCertificates(
  { names, addresses }: CertifiedHosts,
  nowMs: number,
): Promise<{ readonly ca: KeyPair; readonly server: KeyPair }> {
  const x509 = await import('@peculiar/x509');
  const { subtle } = globalThis.crypto;
  const times = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + DAYS * DAY_MS) };
  const [caKeys, serverKeys] = await Promise.all(
    [1, 2].map(() => subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])),
  );
  if (caKeys === undefined || serverKeys === undefined) throw new Error('there are no keys');
  const name = 'CN=podrun';
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
  const server = await x509.X509CertificateGenerator.create({
    ...times,
    subject: 'CN=kubernetes',
    issuer: name,
    serialNumber: '02',
    signingAlgorithm: ALGORITHM,
    signingKey: caKeys.privateKey,
    publicKey: serverKeys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth], false),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const pair = async (certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Promise<KeyPair> => ({
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(await subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`,
  });
  return { ca: await pair(ca, caKeys), server: await pair(server, serverKeys) };
}
