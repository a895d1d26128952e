import { expect, it } from 'vitest';
import { serviceHosts } from '../../src/network/service-hosts.ts';
import type { NamedService, ServiceTarget } from '../../src/network/service-table.ts';

const named = (name: string, target: ServiceTarget, namespace = 'default'): NamedService => ({
  namespace,
  name,
  target,
});
const at = (address: string): ServiceTarget => ({ type: 'address', address, ports: [] });

it('has short names in the own namespace only', () => {
  const services = [named('web', at('127.96.1.2')), named('db', at('127.96.1.3'), 'data')];
  expect(serviceHosts(services, 'default')).toBe(
    `
# Services.
127.96.1.2\tweb\tweb.default\tweb.default.svc\tweb.default.svc.cluster.local
127.96.1.3\tdb.data\tdb.data.svc\tdb.data.svc.cluster.local
`,
  );
});

it('has the endpoints of a headless Service, and their own names', () => {
  const endpoint = { address: '127.1.2.3', hostname: 'db-0', ports: [] };
  const endpoints = [endpoint, { ...endpoint, address: '127.1.2.4', hostname: undefined }];
  expect(
    serviceHosts([named('db', { type: 'headless', endpoints })], 'default')
      .split('\n')
      .slice(2, -1),
  ).toEqual([
    '127.1.2.3\tdb\tdb.default\tdb.default.svc\tdb.default.svc.cluster.local',
    '127.1.2.3\tdb-0.db\tdb-0.db.default\tdb-0.db.default.svc\tdb-0.db.default.svc.cluster.local',
    '127.1.2.4\tdb\tdb.default\tdb.default.svc\tdb.default.svc.cluster.local',
  ]);
});

it('is empty without Services, and has no ExternalName', () => {
  expect(serviceHosts([], 'default')).toBe('');
  expect(serviceHosts([named('x', { type: 'external', name: 'a.org' })], 'default')).toBe('');
});
