import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ConnectionOptions, rootCertificates } from 'node:tls';
import type { RegistrySettings } from '../../lifecycle/index.ts';
import { filesIn, quietly } from '../../quietly.ts';
import { isLoopback, type NetworkVariables } from './endpoints.ts';
import { PullError } from './pull-error.ts';

/** Folders with the certificates of a registry. Source: the manuals of Docker and podman (containers-certs.d(5)). */
const CERTIFICATE_FOLDERS = ['/etc/docker/certs.d', '/etc/containers/certs.d'];

/**
 * The certificates for a host: Node's own CAs, the CAs of $SSL_CERT_FILE, of the folders above and of podrun.yaml. A
 * loopback host without a CA of its own is not checked, as in containerd and Docker.
 * @throws {PullError} when a file of podrun.yaml cannot be read
 */
export function tlsOptions(host: string, settings: RegistrySettings, env: NetworkVariables): ConnectionOptions {
  const files = CERTIFICATE_FOLDERS.flatMap((folder) => filesOf(path.join(folder, host)));
  const folderCas = files.filter((file) => file.endsWith('.crt')).flatMap(readIfThere);
  const own = settings.caFile === undefined ? [] : [read(settings.caFile, 'caFile')];
  const cas = [...own, ...folderCas];
  const isChecked = !settings.insecureSkipTlsVerify && (!isLoopback(host) || cas.length > 0);
  const general = env['SSL_CERT_FILE'] && !isLoopback(host) ? readIfThere(env['SSL_CERT_FILE']) : [];
  const roots = isLoopback(host) ? [] : rootCertificates;
  return {
    rejectUnauthorized: isChecked,
    // Without own CAs, Node's are parsed already.
    ...(cas.length + general.length > 0 && { ca: [...roots, ...general, ...cas] }),
    ...clientCertificate(files, settings),
  };
}

function clientCertificate(
  files: readonly string[],
  { certFile, keyFile }: RegistrySettings,
): Pick<ConnectionOptions, 'cert' | 'key'> {
  if (certFile !== undefined && keyFile !== undefined) {
    return { cert: read(certFile, 'certFile'), key: read(keyFile, 'keyFile') };
  }
  const file = files.find((name) => name.endsWith('.cert'));
  const [cert] = file === undefined ? [] : readIfThere(file);
  const [key] = file === undefined ? [] : readIfThere(file.replace(/\.cert$/, '.key'));
  return cert === undefined || key === undefined ? {} : { cert, key };
}

function filesOf(folder: string): string[] {
  return filesIn(folder).map((name) => path.join(folder, name));
}

function readIfThere(file: string): Buffer[] {
  const bytes = quietly(() => readFileSync(file));
  return bytes === undefined ? [] : [bytes];
}

function read(file: string, field: string): Buffer {
  const [bytes] = readIfThere(file);
  if (bytes === undefined) throw new PullError(`cannot read ${file}, which podrun.yaml names as ${field}`);
  return bytes;
}
