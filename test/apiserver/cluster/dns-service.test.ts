import { expect, it } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../../src/api/index.ts';
import type { ServerContext } from '../../../src/apiserver/base/context.ts';
import { showDns } from '../../../src/apiserver/cluster/dns-service.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';

const NAMESPACE = 'kube-system';
const ADDRESS = '10.96.0.10';
const OWN = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kube-dns', namespace: NAMESPACE } };

function newServer(...objects: readonly KubeObject[]) {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  for (const object of objects) store.create('services', object);
  const lines: string[] = [];
  /** Shows the DNS server at an address, or the error of its network. */
  const show = async (address: string | undefined | Error): Promise<{ close: () => void }> => {
    const clusterDns = () => (address instanceof Error ? Promise.reject(address) : Promise.resolve(address));
    const report = (line: string): void => void lines.push(line);
    const shown = showDns({ store, clock, node: { clusterDns }, report } as unknown as ServerContext);
    await clock.run();
    return shown;
  };
  const parts = (): string[] =>
    ['services', 'endpoints', 'endpointslices'].filter((resource) => store.get(resource, NAMESPACE, 'kube-dns'));
  return { store, lines, show, parts };
}

it('the DNS server of the cluster is a Service with endpoints, until the server ends', async () => {
  const { store, show, parts } = newServer();
  const shown = await show(ADDRESS);
  const service = store.get<StoredKubeObject>('services', NAMESPACE, 'kube-dns');
  expect(service).toMatchObject({
    metadata: { labels: { 'k8s-app': 'kube-dns' } },
    spec: {
      clusterIP: ADDRESS,
      clusterIPs: [ADDRESS],
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  });
  const owned = { ownerReferences: [{ kind: 'Service', uid: service?.metadata.uid }] };
  expect(store.get('endpoints', NAMESPACE, 'kube-dns')).toMatchObject({
    metadata: { ...owned, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: ADDRESS }] }],
  });
  expect(store.get('endpointslices', NAMESPACE, 'kube-dns')).toMatchObject({
    metadata: { ...owned, labels: { 'kubernetes.io/service-name': 'kube-dns' } },
    endpoints: [{ addresses: [ADDRESS], conditions: { ready: true } }],
  });
  shown.close();
  expect(parts()).toEqual([]);
});

it('nothing shows where no DNS server responds at the address, and what a killed server left goes', async () => {
  const { lines, show, parts } = newServer();
  await show(ADDRESS);
  await show(undefined);
  expect(parts()).toEqual([]);
  await show(new Error('no network'));
  expect({ parts: parts(), lines }).toEqual({
    parts: [],
    lines: ['Pods do not reach the DNS server: no network'],
  });
});

it('a deleted Service of the DNS server stays away until the next start', async () => {
  const { store, show, parts } = newServer();
  const shown = await show(ADDRESS);
  for (const resource of parts()) store.delete(resource, NAMESPACE, 'kube-dns');
  expect(parts()).toEqual([]);
  shown.close();
  await show(ADDRESS);
  expect(parts()).toEqual(['services', 'endpoints', 'endpointslices']);
});

it('a Service of the user stays, and so does the address of another one', async () => {
  const spec = { clusterIP: ADDRESS, clusterIPs: [ADDRESS], selector: { 'k8s-app': 'kube-dns' } };
  const users = newServer({ ...OWN, spec });
  const shown = await users.show(ADDRESS);
  shown.close();
  expect(users.store.get('services', NAMESPACE, 'kube-dns')).toMatchObject({ spec });
  expect(users.parts()).toEqual(['services']);
  const other = newServer({ ...OWN, metadata: { name: 'old', namespace: 'default' }, spec });
  await other.show(ADDRESS);
  expect(other.parts()).toEqual([]);
});
