import { PodrunError } from '../../api/index.ts';
import { type Dashboard, type DashboardFacts, openDashboard } from './open-dashboard.ts';
import { checkApiServer } from './pass-to-api.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../quietly.ts';
import { serverFolder } from '../../store/index.ts';
import type { ServerAddress } from '../http/kubeconfig.ts';

/** The parts of the kubeconfig that podrun writes: JSON, with one cluster and one user. */
interface OwnKubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** The dashboard, or the parts of an error: the server is a bundle of its own, whose errors have another class. */
export type DashboardOutcome =
  | { readonly ok: true; readonly dashboard: Dashboard }
  | ({ readonly ok: false } & Pick<PodrunError, 'code' | 'message' | 'hint'>);

/** Opens the dashboard of the server that serves a state folder. */
export async function dashboardOf(root: string, port: number, facts: DashboardFacts): Promise<DashboardOutcome> {
  try {
    const api = readServerAddress(root);
    await checkApiServer(api);
    return { ok: true, dashboard: await openDashboard(api, port, facts) };
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}

/**
 * The server that serves a state folder, or has last.
 * @throws {PodrunError} when there was none
 */
function readServerAddress(root: string): ServerAddress {
  const text = quietly(() => readFileSync(path.join(serverFolder(root), 'kubeconfig'), 'utf8'));
  if (text === undefined) {
    const hint = 'Start it in another terminal: podrun serve.';
    throw new PodrunError('NotRunning', 'no API server serves this state folder', { hint });
  }
  const { clusters, users } = JSON.parse(text) as OwnKubeconfig;
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0].cluster;
  return { url: server, ca: Buffer.from(ca, 'base64').toString(), token: users[0].user.token };
}
