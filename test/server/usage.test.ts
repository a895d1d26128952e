import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const PAGES = '/api/v1/nodes/one/proxy';
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.post('/api/v1/nodes', { metadata: { name: 'one' } });
});

afterAll(() => server.close());

it('the pages of a kubelet about resources count the machine, also without any Pod', async () => {
  const { code, text } = await server.get(`${PAGES}/metrics/resource`);
  expect([code, text]).toEqual([200, expect.any(String)]);
  expect(text).toMatch(/^node_cpu_usage_seconds_total \d+(\.\d+)? \d+$/m);
  expect(text).toMatch(/^node_memory_working_set_bytes \d+ \d+$/m);
  expect(text).toMatch(/\nresource_scrape_error 0\n$/);
  const { body } = await server.get(`${PAGES}/stats/summary`);
  expect(body).toMatchObject({ node: { nodeName: 'one', memory: { workingSetBytes: expect.any(Number) } }, pods: [] });
});
