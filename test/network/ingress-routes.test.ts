import { describe, expect, it } from 'vitest';
import type { StoredService } from '../../src/api/base/objects.ts';
import { SERVICE_NAME_LABEL, type StoredEndpointSlice } from '../../src/api/workloads/endpoint-slices.ts';
import { placeOnMachine } from '../../src/network/ingress/dial-external.ts';
import { findRoute, routesOf, type StoredIngress } from '../../src/network/ingress/routes.ts';
import { service } from './objects.ts';

type Path = readonly [type: 'Exact' | 'Prefix' | 'ImplementationSpecific', path: string];
type Rule = readonly [host: string | undefined, ...paths: Path[]];

const metadata = (name: string, second = 0): StoredIngress['metadata'] => ({
  name,
  namespace: 'default',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: `2026-01-15T12:00:0${second}.000000Z`,
});

/** An Ingress whose backends are named after host and path. */
function ingress(
  rules: readonly Rule[],
  { defaultBackend, second }: { defaultBackend?: string; second?: number } = {},
) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata('i', second),
    spec: {
      ...(defaultBackend === undefined ? {} : { defaultBackend: backend(defaultBackend) }),
      rules: rules.map(([host, ...paths]) => ({
        ...(host === undefined ? {} : { host }),
        http: {
          paths: paths.map(([pathType, path]) => ({
            path,
            pathType,
            backend: backend(`${host ?? ''} ${pathType} ${path}`),
          })),
        },
      })),
    },
  } satisfies StoredIngress;
}

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });

/** The backend of a request, without the rest of its text. */
function chosen(ingresses: readonly StoredIngress[], host: string, path: string): string | undefined {
  const service = findRoute(routesOf(ingresses, [], []), host, path)?.service;
  return service?.replace(/^service default\/ ?(.*), port 80$/, '$1');
}

describe('the paths of the documentation', () => {
  it.each<[paths: Path[], path: string, want: string | undefined]>([
    [[['Prefix', '/']], '/any/path', 'Prefix /'],
    [[['Exact', '/foo']], '/foo', 'Exact /foo'],
    [[['Exact', '/foo']], '/bar', undefined],
    [[['Exact', '/foo']], '/foo/', undefined],
    [[['Exact', '/foo/']], '/foo', undefined],
    [[['Prefix', '/foo']], '/foo', 'Prefix /foo'],
    [[['Prefix', '/foo']], '/foo/', 'Prefix /foo'],
    [[['Prefix', '/foo/']], '/foo', 'Prefix /foo/'],
    [[['Prefix', '/foo/']], '/foo/', 'Prefix /foo/'],
    [[['Prefix', '/aaa/bb']], '/aaa/bbb', undefined],
    [[['Prefix', '/aaa/bbb']], '/aaa/bbb', 'Prefix /aaa/bbb'],
    [[['Prefix', '/aaa/bbb/']], '/aaa/bbb', 'Prefix /aaa/bbb/'],
    [[['Prefix', '/aaa/bbb']], '/aaa/bbb/', 'Prefix /aaa/bbb'],
    [[['Prefix', '/aaa/bbb']], '/aaa/bbb/ccc', 'Prefix /aaa/bbb'],
    [[['Prefix', '/aaa/bbb']], '/aaa/bbbxyz', undefined],
    [
      [
        ['Prefix', '/'],
        ['Prefix', '/aaa'],
      ],
      '/aaa/ccc',
      'Prefix /aaa',
    ],
    [
      [
        ['Prefix', '/'],
        ['Prefix', '/aaa'],
        ['Prefix', '/aaa/bbb'],
      ],
      '/aaa/bbb',
      'Prefix /aaa/bbb',
    ],
    [
      [
        ['Prefix', '/'],
        ['Prefix', '/aaa'],
        ['Prefix', '/aaa/bbb'],
      ],
      '/ccc',
      'Prefix /',
    ],
    [[['Prefix', '/aaa']], '/ccc', undefined],
    [
      [
        ['Prefix', '/foo'],
        ['Exact', '/foo'],
      ],
      '/foo',
      'Exact /foo',
    ],
    [[['ImplementationSpecific', '/foo']], '/foo/bar', 'ImplementationSpecific /foo'],
    [[['ImplementationSpecific', '']], '/foo', 'ImplementationSpecific '],
  ])('%j of %s', (paths, path, want) => {
    expect(chosen([ingress([[undefined, ...paths]])], 'any', path)).toBe(want);
  });
});

describe('hosts', () => {
  it.each<[rule: string, host: string, want: boolean]>([
    ['foo.com', 'foo.com', true],
    ['foo.com', 'FOO.com', true],
    ['foo.com', 'bar.foo.com', false],
    ['*.foo.com', 'bar.foo.com', true],
    ['*.foo.com', 'baz.bar.foo.com', false],
    ['*.foo.com', 'foo.com', false],
    ['*.foo.com', '.foo.com', false],
  ])('%s and %s', (rule, host, want) => {
    expect(chosen([ingress([[rule, ['Prefix', '/']]])], host, '/') !== undefined).toBe(want);
  });

  it('an exact host comes before a wildcard, and that before a rule without a host', () => {
    const rules: Rule[] = [
      [undefined, ['Prefix', '/long/path']],
      ['*.foo.com', ['Prefix', '/']],
      ['a.foo.com', ['Exact', '/x']],
    ];
    const asked = (host: string, path: string): string | undefined => chosen([ingress(rules)], host, path);
    expect(asked('a.foo.com', '/x')).toBe('a.foo.com Exact /x');
    expect(asked('a.foo.com', '/y')).toBe('*.foo.com Prefix /');
    expect(asked('b.org', '/long/path/1')).toBe('Prefix /long/path');
  });
});

it('a default backend gets what no rule takes, the oldest Ingress first', () => {
  const all = [
    ingress([], { defaultBackend: 'young', second: 2 }),
    ingress([['foo.com', ['Prefix', '/']]], { defaultBackend: 'old', second: 1 }),
  ];
  expect(chosen(all, 'foo.com', '/')).toBe('foo.com Prefix /');
  expect(chosen(all, 'bar.com', '/')).toBe('old');
});

it('a route has the ready endpoints of its port, by number and by name', () => {
  const spec = {
    ports: [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'other', port: 81 },
    ],
  };
  const service: StoredService = { apiVersion: 'v1', kind: 'Service', metadata: metadata('web'), spec } as never;
  const slice: StoredEndpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata('web-1'), labels: { [SERVICE_NAME_LABEL]: 'web' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.93.0.2'], conditions: { ready: true } },
      { addresses: ['10.93.0.3'], conditions: { ready: false } },
    ],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  } as never;
  const of = (port: object): unknown => {
    const one = { ...ingress([]), spec: { defaultBackend: { service: { name: 'web', port } } } };
    return routesOf([one], [service], [slice])[0]?.endpoints;
  };
  expect(of({ number: 80 })).toEqual([{ address: '10.93.0.2', port: 8080 }]);
  expect(of({ name: 'http' })).toEqual([{ address: '10.93.0.2', port: 8080 }]);
  expect(of({ name: 'other' })).toEqual([]);
  expect(of({ number: 90 })).toEqual([]);
});

describe('a Service of type ExternalName', () => {
  const routeTo = (ports?: StoredService['spec'] & object) => {
    const spec = { type: 'ExternalName' as const, externalName: 'example.com.', ...ports };
    const services = [service(' Prefix /', spec)];
    return routesOf([ingress([[undefined, ['Prefix', '/']]])], services, [])[0]?.endpoints;
  };

  it('leads to its name, at the port of the backend', () => {
    expect(routeTo()).toEqual([{ address: 'example.com', port: 80 }]);
    expect(routeTo({ ports: [{ port: 80 }] })).toEqual([{ address: 'example.com', port: 80 }]);
  });

  it('leads to the loopback address of a Service that it names', () => {
    const web = service('web', { clusterIP: '10.96.3.4', ports: [{ port: 80 }] }, 'shop');
    const find = (namespace: string, name: string) => (`${namespace}/${name}` === 'shop/web' ? web : undefined);
    const placeOf = (address: string) => placeOnMachine({ address, port: 80 }, find, 1024);
    const served = { address: '127.96.3.4', port: 20080 };
    expect(['web.shop.svc.cluster.local', 'web.shop.svc', 'web.shop'].map(placeOf)).toEqual([served, served, served]);
    expect(placeOf('example.com')).toEqual({ address: 'example.com', port: 80 });
  });
});
