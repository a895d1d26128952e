import path from 'node:path';
import { serverFolder, writeFileAtomically } from '../../store/index.ts';
import type { KeyPair } from './certificates.ts';

/** The address of the server for clients, and their credentials. */
export interface ServerAddress {
  readonly url: string;
  /** The certificate of the CA, PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Writes the kubeconfig of the server, which only its user can read. Returns its path. */
export function writeKubeconfig(root: string, address: ServerAddress): string {
  const file = path.join(serverFolder(root), 'kubeconfig');
  writeFileAtomically(file, kubeconfigText(address, address));
  return file;
}

/** A kubeconfig with one cluster, user and context. JSON is YAML. */
export function kubeconfigText(
  { url, ca }: Pick<ServerAddress, 'url' | 'ca'>,
  user: Pick<ServerAddress, 'token'> | KeyPair,
): string {
  const name = 'podrun';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': inBase64(ca) } }],
    users: [{ name, user: 'token' in user ? { token: user.token } : certified(user) }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function certified({ certificate, key }: KeyPair): object {
  return { 'client-certificate-data': inBase64(certificate), 'client-key-data': inBase64(key) };
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64');
