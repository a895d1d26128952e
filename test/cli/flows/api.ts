import { Agent, request } from 'node:https';
import { afterAll, beforeAll } from 'vitest';
import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { serverOf } from '../../server/requests.mjs';
import { type Podrun, Workshop } from '../workshop.ts';

export interface ApiObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any kind
  readonly [field: string]: any;
}

/** For `expect.poll`: as long as a test waits for an event. */
export const SOON: { readonly timeout: number } = { timeout: PATIENCE_MS };

/** A container that runs until it is ended. */
export const SLEEPER: Container = { name: 'main', image: 'busybox', command: ['sleep', '3600'] };

/** A Pod that runs until it is ended, and ends at once. */
export const SLEEPING: PodSpec = { terminationGracePeriodSeconds: 0, containers: [SLEEPER] };

/** Starts `podrun serve` before the tests of a file, and ends it with all that runs after them. */
export function serveForFile(...flags: string[]): FlowServer {
  const server = new FlowServer();
  beforeAll(() => server.start(flags));
  afterAll(() => server.end());
  return server;
}

/** A running `podrun serve`, with the requests that flows of Conformance tests make. */
class FlowServer {
  readonly workshop: Workshop = new Workshop();
  readonly #agent = new Agent({ keepAlive: true });
  #podrun: Podrun | undefined;
  #place: ReturnType<typeof serverOf> | undefined;
  #kubeconfig = '';

  get kubeconfig(): string {
    return this.#kubeconfig;
  }

  async start(flags: readonly string[]): Promise<void> {
    this.#podrun = this.workshop.start(['serve', ...flags]);
    await this.#podrun.until(({ stderr }) => stderr.includes('serving '));
    this.#kubeconfig = /KUBECONFIG=(\S+)/.exec(this.#podrun.stdout)?.[1] ?? '';
    this.#place = serverOf(this.#kubeconfig);
  }

  async end(): Promise<void> {
    this.#agent.destroy();
    this.#podrun?.signal('SIGINT');
    await this.#podrun?.ended;
    await this.workshop.run(['delete', 'deployments,pods', '--all', '-A', '--force', '--grace-period', '0']);
    await this.workshop.close();
  }

  /** Sends a request. @returns the body of the answer, with its code */
  readonly send = (method: string, path: string, body?: object, type = 'application/json'): Promise<ApiObject> => {
    const { token, ...at } = this.#place as ReturnType<typeof serverOf>;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) };
    const headers = { authorization: `Bearer ${token}`, ...length };
    const options = { ...at, method, path, agent: this.#agent, headers, servername: 'localhost' };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
        response.on('end', () => resolve({ ...JSON.parse(answer), httpCode: response.statusCode }));
      });
      sent.on('error', reject).end(text);
    });
  };

  readonly get = (path: string): Promise<ApiObject> => this.send('GET', path);

  readonly patch = (path: string, body: object, type = 'strategic-merge'): Promise<ApiObject> =>
    this.send('PATCH', path, body, `application/${type}-patch+json`);

  /** Makes a namespace. @returns the path of its objects of the core group */
  readonly newNamespace = async (name: string): Promise<string> => {
    await this.send('POST', '/api/v1/namespaces', { metadata: { name } });
    return `/api/v1/namespaces/${name}`;
  };
}
