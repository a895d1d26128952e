import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { type KubernetesServer, serve } from '../../src/library/index.ts';
import { PATIENT } from '../patience.ts';

/** The answer of a server, as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any kind
async function ask({ url, ca, token }: KubernetesServer, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(url + path, { method: body === undefined ? 'GET' : 'POST', headers, ca }, (answer) => {
      let all = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (all += piece));
      answer.on('end', () => resolve(all));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
  return JSON.parse(text);
}

const PODS = '/api/v1/namespaces/default/pods';

it('serve runs what clients create, and ends it at its close', async () => {
  const server = await serve({ runtime: 'process', network: 'host', config: false });
  expect(readFileSync(server.kubeconfig, 'utf8')).toContain(server.url);
  const container = { name: 'main', image: 'busybox', command: ['sleep', '600'] };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
  const spec = { selector: { matchLabels: { app: 'web' } }, template };
  await ask(server, '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec });
  await vi.waitFor(async () => {
    const { items } = await ask(server, PODS);
    expect(items[0]?.status.phase).toBe('Running');
  }, PATIENT);
  // A client that never begins its handshake.
  const { hostname, port } = new URL(server.url);
  const silent = connect(Number(port), hostname);
  await once(silent, 'connect');
  const closed = once(silent.resume(), 'close');
  await server.close();
  await closed;
  await expect(ask(server, PODS)).rejects.toThrow('ECONNREFUSED');
});

it('serve has the nodes that it is asked for, each with a kubelet', async () => {
  const server = await serve({ runtime: 'process', network: 'host', config: false, nodes: 2 });
  const { items } = await ask(server, '/api/v1/nodes');
  const seen = (items as NodeAnswer[]).map(({ metadata, status }) => {
    return [metadata.name, status?.conditions.find(({ type }) => type === 'Ready')?.status];
  });
  expect(seen).toEqual([
    ['node-1', 'True'],
    ['node-2', 'True'],
  ]);
  await server.close();
});

interface NodeAnswer {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string }> };
}

it('serve refuses an option that it does not have', async () => {
  await expect(serve({ nework: 'host' } as object)).rejects.toThrow(
    'serve() has no option nework, did you mean network?',
  );
});
