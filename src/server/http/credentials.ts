import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import { quietly } from '../../quietly.ts';
import { credentialsFile, serverFolder, writeFileAtomically } from '../../store/index.ts';
import { type CertifiedHosts, type KeyPair, makeCertificates } from './certificates.ts';

/** The certificates of a server, and the token that it asks of clients. */
export interface Credentials {
  /** The certificate of the CA, PEM. */
  readonly ca: string;
  readonly server: KeyPair;
  /** The token of the user of the kubeconfig. */
  readonly token: string;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The certificates and the token of the server of this state folder. Makes them at its first start, and anew when they
 * are about to expire or do not hold for a host: a kubeconfig of before needs to be read again then.
 * @throws {PodrunError} when they cannot be written
 */
export async function openCredentials(root: string, clock: Clock, hosts: CertifiedHosts): Promise<Credentials> {
  const nowMs = clock.now().wallMs;
  const stored = quietly(() => read(root));
  if (stored !== undefined && isUsable(stored, hosts, nowMs)) return stored;
  const { ca, server } = await makeCertificates(hosts, nowMs);
  const token = stored?.token ?? randomBytes(32).toString('base64url');
  mkdirSync(serverFolder(root), { recursive: true, mode: 0o700 });
  writeFileAtomically(credentialsFile(root), JSON.stringify({ ca: ca.certificate, server, token }));
  return { ca: ca.certificate, server, token };
}

function read(root: string): Credentials {
  return JSON.parse(readFileSync(credentialsFile(root), 'utf8')) as Credentials;
}

function isUsable({ ca, server }: Credentials, { names, addresses }: CertifiedHosts, nowMs: number): boolean {
  const certificate = quietly(() => new X509Certificate(server.certificate));
  const authority = quietly(() => createPublicKey(ca));
  if (certificate === undefined || authority === undefined) return false;
  return (
    certificate.verify(authority) &&
    Date.parse(certificate.validTo) - nowMs > WEEK_MS &&
    names.every((name) => certificate.checkHost(name) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}
