import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import { FRONT_PROXY_CLIENT, type FrontProxy } from '../../apiserver/index.ts';
import { quietly } from '../../quietly.ts';
import { credentialsFile, serverFolder, writeFileAtomically } from '../../store/index.ts';
import { type CertifiedHosts, type KeyPair, makeCertificates, makeClientCertificates } from './certificates.ts';

/** The certificates of a server, and the token that it asks of clients. */
export interface Credentials {
  /** The certificate of the CA, PEM. */
  readonly ca: string;
  readonly server: KeyPair;
  /** The token of the user of the kubeconfig. */
  readonly token: string;
  readonly frontProxy: FrontProxy;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The certificates and the token of the server of this state folder. Makes them at its first start, and anew when they
 * are about to expire or do not hold for a host: a kubeconfig of before needs to be read again then.
 * @throws {PodrunError} when they cannot be written
 */
export async function openCredentials(root: string, clock: Clock, hosts: CertifiedHosts): Promise<Credentials> {
  const nowMs = clock.now().wallMs;
  const stored = quietly(() => read(root)) ?? {};
  const [own, frontProxy] = await Promise.all([
    usableOwn(stored, hosts, nowMs) ?? madeFor(hosts, stored, nowMs),
    usableProxy(stored, nowMs) ?? madeProxy(nowMs),
  ]);
  const credentials = { ...own, frontProxy };
  if (own.ca === stored.ca && frontProxy.ca === stored.frontProxy?.ca) return credentials;
  mkdirSync(serverFolder(root), { recursive: true, mode: 0o700 });
  writeFileAtomically(credentialsFile(root), JSON.stringify(credentials));
  return credentials;
}

/** A file of an earlier version of podrun has less. */
function read(root: string): Partial<Credentials> {
  return JSON.parse(readFileSync(credentialsFile(root), 'utf8')) as Partial<Credentials>;
}

type OwnCredentials = Omit<Credentials, 'frontProxy'>;

async function madeFor(hosts: CertifiedHosts, stored: Partial<Credentials>, nowMs: number): Promise<OwnCredentials> {
  const { ca, server } = await makeCertificates(hosts, nowMs);
  return { ca: ca.certificate, server, token: stored.token ?? randomBytes(32).toString('base64url') };
}

async function madeProxy(nowMs: number): Promise<FrontProxy> {
  const names = { ca: 'podrun-front-proxy', client: FRONT_PROXY_CLIENT };
  const { ca, client } = await makeClientCertificates(names, nowMs);
  return { ca: ca.certificate, client };
}

function usableProxy({ frontProxy }: Partial<Credentials>, nowMs: number): FrontProxy | undefined {
  return frontProxy && signedBy(frontProxy.ca, frontProxy.client.certificate, nowMs) && frontProxy;
}

function usableOwn(
  { ca, server, token }: Partial<Credentials>,
  { names, addresses }: CertifiedHosts,
  nowMs: number,
): OwnCredentials | undefined {
  if (ca === undefined || server === undefined || token === undefined) return undefined;
  const certificate = signedBy(ca, server.certificate, nowMs);
  if (certificate === undefined) return undefined;
  const isForAll =
    names.every((name) => certificate.checkHost(name) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined);
  return isForAll ? { ca, server, token } : undefined;
}

/** A certificate that a CA has signed and that holds for some time. Undefined: it is none. */
function signedBy(ca: string, pem: string, nowMs: number): X509Certificate | undefined {
  const certificate = quietly(() => new X509Certificate(pem));
  const authority = quietly(() => createPublicKey(ca));
  if (certificate === undefined || authority === undefined || !certificate.verify(authority)) return undefined;
  return Date.parse(certificate.validTo) - nowMs > WEEK_MS ? certificate : undefined;
}
