import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { usage } from '../../api/index.ts';
import { guarded } from '../../defects.ts';
import { openConnections } from '../../network/index.ts';

/** The pages of an etcd for health checks. */
export interface HealthServer {
  readonly port: number;
  readonly close: () => void;
}

const PAGES: Readonly<Record<string, object>> = {
  '/health': { health: 'true', reason: '' },
  '/version': { etcdserver: '3.6.0', etcdcluster: '3.6.0' },
};

/** @throws {PodrunError} when it cannot listen */
export async function openHealthServer({ hostname, port }: URL): Promise<HealthServer> {
  const server = guarded(createServer(respond));
  const connections = openConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) => reject(usage(`cannot listen at ${hostname}:${port}: ${error.message}`)));
    server.listen(Number(port || '80'), hostname, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      connections.end();
    },
  };
}

const respond: RequestListener = ({ url = '' }, response) => {
  const page = PAGES[url.replace(/\?.*/, '')];
  response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
  response.end(page === undefined ? '' : JSON.stringify(page));
};
