import * as x509 from '@peculiar/x509';
import type { webcrypto } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** A certificate with its key, both PEM. */
export interface CertifiedKey {
  readonly cert: string;
  readonly key: string;
}

/** The CA that envtest makes for each suite. Source: controller-runtime, internal/testing/certs/tinyca.go. */
export class TinyCa {
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #name: string;
  readonly cert: string;
  #serial = 1;

  static async create(name: string): Promise<TinyCa> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      ...times(),
      name: `CN=${name}`,
      serialNumber: '01',
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    });
    return new TinyCa(keys, name, `${made.toString('pem')}\n`);
  }

  private constructor(keys: webcrypto.CryptoKeyPair, name: string, cert: string) {
    this.#keys = keys;
    this.#name = name;
    this.cert = cert;
  }

  /** The certificate of a server on this machine. */
  serving(): Promise<CertifiedKey> {
    const names = new x509.SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
    ]);
    return this.#certified([{ CN: ['localhost'] }], x509.ExtendedKeyUsage.serverAuth, [names]);
  }

  /** The certificate of a user: the common name, and an organization for each group. */
  client(name: string, groups: readonly string[]): Promise<CertifiedKey> {
    const subject = [...groups.map((group) => ({ O: [group] })), { CN: [name] }];
    return this.#certified(subject, x509.ExtendedKeyUsage.clientAuth, []);
  }

  async #certified(subject: x509.JsonName, usage: string, more: readonly x509.Extension[]): Promise<CertifiedKey> {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    this.#serial += 1;
    const made = await x509.X509CertificateGenerator.create({
      ...times(),
      subject,
      issuer: `CN=${this.#name}`,
      serialNumber: this.#serial.toString(16).padStart(2, '0'),
      signingAlgorithm: ALGORITHM,
      signingKey: this.#keys.privateKey,
      publicKey: keys.publicKey,
      extensions: [new x509.ExtendedKeyUsageExtension([usage], false), ...more],
    });
    const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
    return { cert: `${made.toString('pem')}\n`, key: `${key}\n` };
  }
}

function times(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + WEEK_MS) };
}
