import path from 'node:path';
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { NodeClient } from '../apiserver/index.ts';
import { type FileStore, serverFolder } from '../store/index.ts';
import { claimOrMeet } from './claim-server.ts';
import { type ApiServerOptions, openApiServer } from './open-server.ts';
import { ApiClient } from './beside/api-client.ts';
import { ApplyObjects, type ApplyListener, type HowToApply } from './beside/apply-objects.ts';

/** An API server beside a run. */
export interface ApiBeside {
  readonly url: string;
  /** The file for `KUBECONFIG`. */
  readonly kubeconfig: string;
  /** False: it is the server of another process, which serves the same state folder. */
  readonly isOwn: boolean;
  /** Begins to apply objects through it. */
  readonly objects: (namespace: string, listener: ApplyListener, how?: HowToApply) => ApplyObjects;
  readonly close: () => Promise<void>;
}

export interface BesideOptions extends Pick<ApiServerOptions, 'descriptionsFile' | 'report'> {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The run. */
  readonly node: NodeClient;
}

/**
 * Serves the API of the state folder beside a run, at a free port. Where another process serves it already, that one is
 * used. Resolves when Pods reach it.
 * @throws {PodrunError} when the server cannot listen, or the state folder cannot be written
 */
export async function openBeside({ node, ...options }: BesideOptions): Promise<ApiBeside> {
  const { store, clock } = options;
  const claim = await claimOrMeet(store.root, clock);
  if ('url' in claim) return meet(store, clock);
  try {
    const server = await openApiServer({ ...options, node, claim, port: undefined });
    await server.isReached;
    const client = new ApiClient(server);
    return {
      url: server.url,
      kubeconfig: server.kubeconfig,
      isOwn: true,
      objects: (namespace, listener, how) => new ApplyObjects({ client, store, clock, namespace, ...how }, listener),
      close: async () => {
        client.close();
        await server.close();
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** The server of another process, from its kubeconfig. */
export function meet(store: FileStore, clock: Clock): ApiBeside {
  const kubeconfig = path.join(serverFolder(store.root), 'kubeconfig');
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server: url = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {};
  const client = new ApiClient({
    url,
    ca: Buffer.from(ca, 'base64').toString(),
    token: users[0]?.user.token ?? '',
  });
  return {
    url,
    kubeconfig,
    isOwn: false,
    objects: (namespace, listener, how) => new ApplyObjects({ client, store, clock, namespace, ...how }, listener),
    close: async () => client.close(),
  };
}

/** The part of podrun's own kubeconfig that a client needs. */
interface Kubeconfig {
  readonly clusters: ReadonlyArray<{
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }>;
  readonly users: ReadonlyArray<{ readonly user: { readonly token: string } }>;
}
