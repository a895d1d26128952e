import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import { type Clock, SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import type { AuthorizationMode } from '../../src/apiserver/base/context.ts';
import { type ApiServer, claimServer, openApiServer } from '../../src/server/index.ts';
import { FileStore } from '../../src/store/file-store.ts';

/** The answer to a request. */
export interface TestAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any kind
  readonly body: any;
}

/** A server of this process, with a state folder of its own. Nobody runs Pods. */
export interface TestServer extends Omit<ApiServer, 'close'> {
  readonly store: FileStore;
  readonly request: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<TestAnswer>;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestAnswer>;
  readonly post: (path: string, body: unknown) => Promise<TestAnswer>;
  readonly close: () => Promise<void>;
}

interface TestServerOptions {
  /** Objects that are stored before the start, as they are. */
  readonly objects?: readonly KubeObject[];
  /** The state folder, which stays. Default: a new one. */
  readonly stateDir?: string;
  readonly authorization?: AuthorizationMode;
  readonly auditLog?: string;
  /** Default: that of the last server of the state folder, else a free one. */
  readonly port?: number;
  readonly clock?: Clock;
}

export async function startServer({
  objects = [],
  stateDir,
  authorization,
  auditLog,
  port,
  clock = new SystemClock(),
}: TestServerOptions = {}): Promise<TestServer> {
  const root = stateDir ?? mkdtempSync(path.join(tmpdir(), 'podrun-server-'));
  const store = new FileStore({ root, clock, processes: localProcesses });
  for (const object of objects) store.create(resourceTypeOf(object).plural, object);
  const trouble: string[] = [];
  const descriptionsFile = path.join(import.meta.dirname, '../../dist/descriptions.json');
  const report = (line: string): unknown => trouble.push(line);
  const claim = await claimServer(root, clock);
  const server = await openApiServer({ store, clock, claim, port, authorization, auditLog, descriptionsFile, report });
  const agent = new Agent({ ca: server.ca, keepAlive: true });
  const send: TestServer['request'] = (method, target, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const isText = typeof body === 'string' || Buffer.isBuffer(body);
      const bytes = body === undefined ? undefined : isText ? body : JSON.stringify(body);
      const json = bytes === undefined || isText ? {} : { 'content-type': 'application/json' };
      // Node.js sends the body of a DELETE without its length.
      const length = bytes === undefined ? {} : { 'content-length': Buffer.byteLength(bytes) };
      const all = { authorization: `Bearer ${server.token}`, ...json, ...length, ...headers };
      const sent = request(
        server.url + target,
        { method, agent, headers: all, servername: 'localhost' },
        (response) => {
          let text = '';
          const isPacked = response.headers['content-encoding'] === 'gzip';
          const content = isPacked ? response.pipe(createGunzip()) : response;
          content.setEncoding('utf8');
          content.on('data', (piece: string) => (text += piece));
          content.on('error', reject);
          content.on('end', () => {
            const isJson = /json/.test(response.headers['content-type'] ?? '') && text !== '';
            const parsed: unknown = isJson && !text.includes('\n{') ? JSON.parse(text) : undefined;
            resolve({ code: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
          });
        },
      );
      sent.on('error', reject);
      sent.end(bytes);
    });
  return {
    ...server,
    store,
    request: send,
    get: (target, headers) => send('GET', target, undefined, headers),
    post: (target, body) => send('POST', target, body),
    close: async () => {
      agent.destroy();
      await server.close();
      claim.release();
      if (stateDir === undefined) rmSync(root, { recursive: true, force: true });
      if (trouble.length > 0) throw new Error(`the server reported:\n${trouble.join('\n')}`);
    },
  };
}
