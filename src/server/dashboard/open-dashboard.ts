import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { guarded, inBackground } from '../../defects.ts';
import { PodrunError } from '../../api/index.ts';
import { openConnections } from '../../network/index.ts';
import { tokenOf } from '../../apiserver/index.ts';
import type { ServerAddress } from '../http/kubeconfig.ts';
import { DASHBOARD_FILES } from './dashboard-files.ts';
import { DashboardSession, isFromOwnPage } from './dashboard-session.ts';
import { isPassedOn, passToApi, passUpgradeToApi } from './pass-to-api.ts';

/** The page, while it is served. */
export interface Dashboard {
  /** Opens the page for one person. It works once. */
  readonly link: string;
  readonly close: () => Promise<void>;
}

/** Facts that the API of Kubernetes does not have. */
export interface DashboardFacts {
  /** The URLs at which this machine reaches Services and Ingresses. */
  readonly urls: () => readonly DashboardUrl[];
  /**
   * The drawing of a Pod's life.
   * @throws {PodrunError} when there is no record of it
   */
  readonly timeline: (namespace: string, name: string) => string;
}

interface DashboardUrl {
  readonly kind: 'Service' | 'Ingress';
  readonly namespace: string;
  readonly name: string;
  readonly url: string;
}

const LOOPBACK = '127.0.0.1';
const CODE_BYTES_MAX = 200;

/** The page loads its own files only, and no other page shows it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Serves the page on loopback, and passes what it asks on to the API server, with the token of that. A browser gets the
 * token of its own session only.
 * @throws {PodrunError} when the port is taken
 */
export async function openDashboard(api: ServerAddress, port: number, facts: DashboardFacts): Promise<Dashboard> {
  const session = new DashboardSession();
  const server = guarded(createServer((request, response) => inBackground(answer(request, response), response)));
  const connections = openConnections(server);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head) => {
    socket.on('error', () => socket.destroy());
    const { headers, url = '' } = request;
    const mayEnter = isFromOwnPage(headers, at()) && session.isAllowed(tokenOf(headers)) && isPassedOn(url);
    if (mayEnter) passUpgradeToApi(request, { client: socket as Socket, head }, api);
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  const at = (): number => (server.address() as AddressInfo | null)?.port ?? 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!isFromOwnPage(headers, at())) return refuse(response, 403, 'this page is for this machine only');
    const file = DASHBOARD_FILES.get(url);
    if (file !== undefined && method === 'GET') {
      response.writeHead(200, { 'content-type': file.type }).end(file.text);
    } else if (url === '/session' && method === 'POST') {
      const token = session.exchange(await shortBody(request));
      if (token === undefined) refuse(response, 403, 'the link was used, or is wrong');
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(token);
    } else if (!isPassedOn(url) && !isFact(url)) refuse(response, 404, 'not found');
    else if (!session.isAllowed(tokenOf(headers))) refuse(response, 401, 'run podrun dashboard again');
    else if (isFact(url)) answerFact(response, url, facts);
    else passToApi(request, response, api);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => {
      const hint = 'Choose another port with --port, or let podrun choose one: --port 0.';
      reject(new PodrunError('Unsupported', `cannot serve the dashboard: ${message}`, { hint }));
    });
    server.listen(port, LOOPBACK, resolve);
  });
  return {
    link: `http://${LOOPBACK}:${at()}/#code=${session.code ?? ''}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      connections.end();
      await closed;
    },
  };
}

function isFact(url: string): boolean {
  return /^\/(urls|timeline\?.*)$/.test(url);
}

function answerFact(response: ServerResponse, url: string, facts: DashboardFacts): void {
  const { pathname, searchParams } = new URL(url, `http://${LOOPBACK}`);
  try {
    const text =
      pathname === '/urls'
        ? JSON.stringify(facts.urls())
        : facts.timeline(searchParams.get('namespace') ?? '', searchParams.get('name') ?? '');
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    refuse(response, 404, error.message);
  }
}

function refuse(response: ServerResponse, code: number, why: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(why);
}

/** The body of a request. Of a long one, the beginning. */
async function shortBody(request: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const piece of request) {
      text += String(piece);
      if (text.length > CODE_BYTES_MAX) break;
    }
  } catch {
    // The client is gone.
  }
  return text;
}
