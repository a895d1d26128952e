import { expect, it } from 'vitest';
import type { StoredService } from '../../src/api/base/objects.ts';
import type { StoredEndpointSlice } from '../../src/api/workloads/endpoint-slices.ts';
import { serviceHosts } from '../../src/network/base/service-hosts.ts';
import { endpoint, service, slice } from './objects.ts';

const hosts = (
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[] = [],
  network: 'host' | 'cluster' = 'host',
): string =>
  serviceHosts(services, slices, { namespace: 'default', place: { network, lowestPort: 1024 }, addressesOf });

const addressesOf = (name: string): string[] => (name === 'a.example' ? ['192.0.2.1', '192.0.2.2'] : []);

it('has short names in the own namespace only', () => {
  const services = [service('web', { clusterIP: '127.96.1.2' }), service('db', { clusterIP: '127.96.1.3' }, 'data')];
  expect(hosts(services)).toBe(
    `
# Services.
127.96.1.2\tweb\tweb.default\tweb.default.svc\tweb.default.svc.cluster.local
127.96.1.3\tdb.data\tdb.data.svc\tdb.data.svc.cluster.local
`,
  );
});

it('has the addresses that work in the network of the Pod', () => {
  expect(hosts([service('web', { clusterIP: '127.96.1.2' })], [], 'cluster')).toContain('\n10.96.1.2\tweb\t');
});

it('has the ready endpoints of a headless Service, and their own names', () => {
  const ready = { ready: true };
  const endpoints = [
    endpoint('127.1.2.3', ready, 'db-0'),
    endpoint('127.1.2.4', ready),
    endpoint('127.1.2.5', { ready: false }),
  ];
  const lines = hosts([service('db', { clusterIP: 'None' })], [slice('db', endpoints)]).split('\n');
  expect(lines.slice(2, -1)).toEqual([
    '127.1.2.3\tdb\tdb.default\tdb.default.svc\tdb.default.svc.cluster.local',
    '127.1.2.3\tdb-0.db\tdb-0.db.default\tdb-0.db.default.svc\tdb-0.db.default.svc.cluster.local',
    '127.1.2.4\tdb\tdb.default\tdb.default.svc\tdb.default.svc.cluster.local',
  ]);
});

it('has the addresses of the name that an ExternalName stands for', () => {
  const external = (name: string) => service('x', { type: 'ExternalName', externalName: name });
  const names = 'x\tx.default\tx.default.svc\tx.default.svc.cluster.local';
  expect(
    hosts([external('a.example')])
      .split('\n')
      .slice(2, -1),
  ).toEqual([`192.0.2.1\t${names}`, `192.0.2.2\t${names}`]);
  expect(hosts([external('unknown.example')])).toBe('');
});

it('is empty without Services', () => {
  expect(hosts([])).toBe('');
});
