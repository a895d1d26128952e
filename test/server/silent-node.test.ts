import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const POD = '/api/v1/namespaces/default/pods/web';
const REFUSED = 'dial tcp 10.92.0.2:10250: connect: connection refused';
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.post('/api/v1/nodes', {
    metadata: { name: 'far', annotations: { 'podrun.dev/kubelet': 'silent' } },
    status: { addresses: [{ type: 'InternalIP', address: '10.92.0.2' }] },
  });
  const containers = [{ name: 'main', image: 'a' }];
  await server.post('/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'far', containers },
  });
});

afterAll(() => server.close());

describe('a node that is silent', () => {
  it.each([
    ['logs', 'GET', `${POD}/log`, 500, `Get "https://10.92.0.2:10250/containerLogs/default/web/main": ${REFUSED}`],
    ['a command', 'POST', `${POD}/exec?command=id&stdout=true`, 500, `error dialing backend: ${REFUSED}`],
    ['pages of its kubelet', 'GET', '/api/v1/nodes/far/proxy/pods', 503, `error trying to reach service: ${REFUSED}`],
  ])('has no %s', async (_, method, path, code, message) => {
    const answer = method === 'GET' ? await server.get(path) : await server.post(path, {});
    expect([answer.code, answer.body]).toEqual([code, expect.objectContaining({ status: 'Failure', message })]);
  });
});
