import { afterAll, beforeAll, expect, it } from 'vitest';
import { SystemClock, Turns } from '../../src/clock.ts';
import { startServer, type TestServer } from './start-server.ts';

/** Turns in which something else happens before one of the parts. */
class InterruptedTurns extends Turns {
  /** Undefined: nothing does. */
  #next: { before: number; readonly run: () => Promise<unknown> } | undefined;
  #running: Promise<unknown> | undefined;

  /** @param part the number of the part, from 1 */
  interrupt(part: number, run: () => Promise<unknown>): void {
    this.#next = { before: part, run };
    this.#running = undefined;
  }

  /** Waits for what happens. Returns false when that part has not come, and comes no more. */
  async settle(): Promise<boolean> {
    this.#next = undefined;
    await this.#running;
    return this.#running !== undefined;
  }

  override run(part: () => void): void {
    const next = this.#next;
    if (next !== undefined) next.before -= 1;
    if (next?.before !== 0) return super.run(part);
    this.#next = undefined;
    this.#running = next.run().finally(part);
  }
}

const turns = new InterruptedTurns();
let server: TestServer;

beforeAll(async () => {
  const metadata = { name: 'full' };
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata }];
  const maps = ['default', 'full'].flatMap((namespace) =>
    Array.from({ length: 500 }, (_, index) => {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: `map-${index}` } };
    }),
  );
  const clock = new SystemClock();
  const interrupted = { now: () => clock.now(), wakeAt: clock.wakeAt.bind(clock), turns };
  server = await startServer({ objects: [...namespaces, ...maps], clock: interrupted });
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

const large = (name: string): object => {
  const data = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`key-${index}`, 'value']));
  return { metadata: { name }, data };
};

/** Deletes a namespace, and waits until it is gone. */
async function removed(namespace: string): Promise<void> {
  for (let code = 200; code !== 404;) ({ code } = await server.request('DELETE', namespace));
}

it('stores no object in a namespace that is deleted between the parts of its creation', async () => {
  let part = 0;
  for (let hasCome = true; hasCome;) {
    part += 1;
    const namespace = `gone-${part}`;
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    expect((await server.post('/api/v1/namespaces', { metadata: { name: namespace } })).code).toBe(201);
    turns.interrupt(part, () => removed(`/api/v1/namespaces/${namespace}`));
    const { code } = await server.post(maps, large('late'));
    hasCome = await turns.settle();
    // The part may be one of other work: then the namespace is still there, or takes the stored object with it.
    expect(hasCome ? [201, 403, 404] : [201]).toContain(code);
    expect([part, server.store.get('configmaps', namespace, 'late') === undefined]).toEqual([part, hasCome]);
  }
  expect(part).toBeGreaterThan(3);
});

it('creates one of two large objects of the same name, and none in a dry run', async () => {
  const target = '/api/v1/namespaces/default/configmaps';
  expect((await server.post(`${target}?dryRun=All`, large('same'))).code).toBe(201);
  expect(server.store.get('configmaps', 'default', 'same')).toBeUndefined();
  const created = await Promise.all([1, 2].map(() => server.post(target, large('same'))));
  expect(created.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

it('warns once of an unknown field of a large object that is patched', async () => {
  const target = '/api/v1/namespaces/default/configmaps';
  await server.post(target, large('patched'));
  const patch = { ...large('patched'), unknown: true };
  const type = { 'content-type': 'application/merge-patch+json' };
  const { code, headers } = await server.request('PATCH', `${target}/patched`, JSON.stringify(patch), type);
  expect([code, headers['warning']]).toEqual([200, String.raw`299 - "unknown field \"unknown\""`]);
});
