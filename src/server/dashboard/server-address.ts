import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/errors.ts';
import { quietly } from '../../quietly.ts';
import { serverFolder } from '../../store/base/layout.ts';
import type { ServerAddress } from '../http/kubeconfig.ts';

/** The parts of the kubeconfig that podrun writes: JSON, with one cluster and one user. */
interface OwnKubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/**
 * The server that serves a state folder, or has last.
 * @throws {PodrunError} when there was none
 */
export function readServerAddress(root: string): ServerAddress {
  const text = quietly(() => readFileSync(path.join(serverFolder(root), 'kubeconfig'), 'utf8'));
  if (text === undefined) {
    const hint = 'Start it in another terminal: podrun serve.';
    throw new PodrunError('NotRunning', 'no API server serves this state folder', { hint });
  }
  const { clusters, users } = JSON.parse(text) as OwnKubeconfig;
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0].cluster;
  return { url: server, ca: Buffer.from(ca, 'base64').toString(), token: users[0].user.token };
}
