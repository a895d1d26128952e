import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Dashboard, openDashboard } from '../../src/server/dashboard/open-dashboard.ts';
import { checkApiServer } from '../../src/server/dashboard/pass-to-api.ts';
import { startServer, type TestServer } from './start-server.ts';

const FACTS = {
  urls: () => [{ kind: 'Service' as const, namespace: 'default', name: 'web', url: 'http://127.96.0.1:80' }],
  timeline: (namespace: string, name: string) => `the life of ${namespace}/${name}`,
};

let server: TestServer;
let page: Dashboard;

beforeAll(async () => {
  server = await startServer();
  page = await openDashboard({ url: server.url, ca: server.ca, token: server.token }, 0, FACTS);
});

afterAll(async () => {
  await page.close();
  await server.close();
});

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly policy: string;
}

/** Sends a request to the dashboard, with any headers: also those that browsers set. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(page.link);
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => {
        const policy = response.headers['content-security-policy'] ?? '';
        resolve({ code: response.statusCode ?? 0, text, policy: String(policy) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const codeOf = ({ link }: Dashboard): string => link.replace(/.*#code=/, '');

describe('the dashboard', () => {
  it('is not served where no API server responds', async () => {
    const there = { url: server.url, ca: server.ca, token: server.token };
    await expect(checkApiServer(there)).resolves.toBeUndefined();
    const gone = { ...there, url: 'https://127.0.0.1:9' };
    await expect(checkApiServer(gone)).rejects.toThrow(/^the API server does not answer: connect ECONNREFUSED/);
  });

  it('gives its files to everybody, and loads nothing else', async () => {
    const index = await ask('GET', '/');
    expect(index.text).toContain('<script type="module" src="app.js"></script>');
    expect(index.policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect((await ask('GET', '/app.js')).code).toBe(200);
    expect((await ask('GET', '/etc/passwd')).code).toBe(404);
  });

  it('gives nothing of the cluster without a session', async () => {
    expect((await ask('GET', '/api/v1/pods')).code).toBe(401);
    expect((await ask('GET', '/api/v1/pods', { authorization: `Bearer ${server.token}` })).code).toBe(401);
    expect((await ask('GET', '/urls')).code).toBe(401);
    expect((await ask('GET', '/timeline?namespace=default&name=web')).code).toBe(401);
    expect((await ask('POST', '/session', {}, 'wrong')).code).toBe(403);
  });

  it('exchanges the code of the link once', async () => {
    const { code, text: token } = await ask('POST', '/session', {}, codeOf(page));
    expect(code).toBe(200);
    expect((await ask('POST', '/session', {}, codeOf(page))).code).toBe(403);
    const headers = { authorization: `Bearer ${token}` };
    const pods = await ask('GET', '/api/v1/pods', headers);
    expect([pods.code, (JSON.parse(pods.text) as { kind: string }).kind]).toEqual([200, 'PodList']);
    expect(JSON.parse((await ask('GET', '/urls', headers)).text)).toEqual(FACTS.urls());
    expect((await ask('GET', '/timeline?namespace=a&name=b', headers)).text).toBe('the life of a/b');
    // A website in the browser of the user, with a name of its own or from elsewhere.
    expect((await ask('GET', '/api/v1/pods', { ...headers, host: 'evil.example' })).code).toBe(403);
    expect((await ask('GET', '/api/v1/pods', { ...headers, origin: 'https://evil.example' })).code).toBe(403);
    // A page of a Pod would be a page of the dashboard.
    expect((await ask('GET', '/api/v1/namespaces/default/pods/web/proxy/', headers)).code).toBe(404);
    expect((await ask('GET', '/api/v1/namespaces/default/pods/web/%70roxy/', headers)).code).toBe(404);
    expect((await ask('GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx&x=/proxy', headers)).code).toBe(200);
    // The page stands for nobody else.
    expect((await ask('GET', '/api/v1/pods', { ...headers, 'impersonate-user': 'nobody' })).code).toBe(200);
    expect((await ask('GET', '/healthz', headers)).code).toBe(404);
    expect(token + page.link).not.toContain(server.token);
  });

  it('refuses websockets without a session', async () => {
    const url = `${page.link.replace(/#.*/, '').replace('http', 'ws')}api/v1/namespaces/default/pods/web/exec`;
    const client = new WebSocket(url, ['v5.channel.k8s.io', 'base64url.bearer.authorization.k8s.io.eA']);
    const error = await new Promise<Error>((resolve) => void client.once('error', resolve));
    expect(error.message).toContain('403');
  });

  it('ends its link after wrong codes', async () => {
    const other = await openDashboard({ url: server.url, ca: server.ca, token: server.token }, 0, FACTS);
    const before = page;
    page = other;
    for (let index = 0; index < 5; index += 1) await ask('POST', '/session', {}, String(index));
    expect((await ask('POST', '/session', {}, codeOf(other))).code).toBe(403);
    page = before;
    await other.close();
  });
});
