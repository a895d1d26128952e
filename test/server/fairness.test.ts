import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

let server: TestServer;

beforeAll(async () => {
  const metadata = { name: 'full' };
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata }];
  const maps = ['default', 'full'].flatMap((namespace) =>
    Array.from({ length: 500 }, (_, index) => {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: `map-${index}` } };
    }),
  );
  server = await startServer({ objects: [...namespaces, ...maps] });
});

afterAll(() => server.close());

/** The numbers of ConfigMaps that are left at the answers of `/readyz`, one after the other, until none is. */
async function leftAtAnswers(namespace: string): Promise<number[]> {
  const left: number[] = [];
  while (left.at(-1) !== 0) {
    await server.get('/readyz');
    const { body } = await server.get(`/api/v1/namespaces/${namespace}/configmaps`);
    const names = (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    // The server makes one of its own.
    left.push(names.filter((name) => name.startsWith('map-')).length);
  }
  return left;
}

it('responds to other clients while a collection is deleted', async () => {
  const deleted = server.request('DELETE', '/api/v1/namespaces/default/configmaps');
  expect(new Set(await leftAtAnswers('default')).size).toBeGreaterThan(2);
  expect((await deleted).code).toBe(200);
});

it('responds to other clients while a namespace and its objects are deleted', async () => {
  await server.request('DELETE', '/api/v1/namespaces/full');
  expect(new Set(await leftAtAnswers('full')).size).toBeGreaterThan(2);
});
