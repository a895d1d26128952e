import path from 'node:path';
import { serverFolder, writeFileAtomically } from '../../store/index.ts';

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
  writeFileAtomically(file, kubeconfigText(address));
  return file;
}

/** A kubeconfig with one cluster, user and context. JSON is YAML. */
function kubeconfigText({ url, ca, token }: ServerAddress): string {
  const name = 'podrun';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
