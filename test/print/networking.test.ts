import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { describeObject } from '../../src/print/describe-object.ts';
import { columnsOf } from '../../src/print/table/resource-columns.ts';
import { renderTable } from '../../src/print/table/table-printer.ts';
import { NOW_MS } from './pods.ts';

// Every text of `describe` here is what kubectl v1.32 prints about these objects.

beforeEach(() => void vi.stubEnv('TZ', 'UTC'));
afterEach(() => void vi.unstubAllEnvs());

const NETWORKING = 'networking.k8s.io/v1';

function stored({ metadata, ...object }: KubeObject): StoredKubeObject {
  const given = { namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-15T11:59:00Z' };
  return { ...object, metadata: { ...given, ...metadata } } as StoredKubeObject;
}

const table = (resource: string, object: KubeObject): string =>
  renderTable(columnsOf(resource), [stored(object)], NOW_MS);

const described = (object: KubeObject, others: Readonly<Record<string, readonly KubeObject[]>> = {}): string =>
  describeObject(stored(object), {
    events: [],
    list: (resource) => (others[resource] ?? []).map(stored) as never,
    nowMs: NOW_MS,
  });

const around = {
  services: [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } },
  ],
  endpointslices: [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.93.0.2'] }, { addresses: ['10.93.0.3'] }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
  ],
};

const backend = (name: string, port: object): object => ({ service: { name, port } });

const ingress: KubeObject = {
  apiVersion: NETWORKING,
  kind: 'Ingress',
  metadata: { name: 'web', labels: { x: 'y' }, annotations: { a: 'b', c: 'd' } },
  spec: {
    ingressClassName: 'nginx',
    defaultBackend: backend('web', { number: 80 }),
    tls: [{ hosts: ['a.example.com', 'b.example.com'], secretName: 'cert' }, { hosts: ['c'] }],
    rules: [
      {
        host: 'a.example.com',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: backend('web', { name: 'http' }) },
            {
              path: '/static/long',
              pathType: 'Exact',
              backend: { resource: { apiGroup: 'k8s.example.com', kind: 'StorageBucket', name: 'icons' } },
            },
            { pathType: 'ImplementationSpecific', backend: backend('gone', { number: 8080 }) },
          ],
        },
      },
      { host: 'skipped' },
      { http: { paths: [{ path: '/x', pathType: 'Prefix', backend: backend('web', { number: 81 }) }] } },
    ],
  },
  status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } },
};

describe('an Ingress', () => {
  it('is listed', () => {
    expect(table('ingresses', ingress)).toBe(`\
NAME   CLASS   HOSTS                   ADDRESS     PORTS     AGE
web    nginx   a.example.com,skipped   127.0.0.1   80, 443   60s
`);
  });

  it('shows three hosts and the number of other rules', () => {
    const rules = ['a', 'b', 'c', 'd'].map((host) => ({ host }));
    expect(table('ingresses', { ...ingress, spec: { rules }, status: {} })).toContain(
      'a,b,c + 1 more...             80 ',
    );
  });

  it('is described as kubectl does', () => {
    expect(described(ingress, around)).toBe(`\
Name:             web
Labels:           x=y
Namespace:        default
Address:          127.0.0.1
Ingress Class:    nginx
Default backend:  web:80 (10.93.0.2:8080,10.93.0.3:8080)
TLS:
  cert terminates a.example.com,b.example.com
  SNI routes c
Rules:
  Host           Path  Backends
  ----           ----  --------
  a.example.com  
                 /              web:http (10.93.0.2:8080,10.93.0.3:8080)
                 /static/long   APIGroup: k8s.example.com, Kind: StorageBucket, Name: icons
                                gone:8080 (<error: services "gone" not found>)
  *              
                 /x   web:81 ()
Annotations:     a: b
                 c: d
Events:          <none>
`);
  });

  it('with a default backend only is described as kubectl does', () => {
    const spec = { defaultBackend: backend('web', { number: 80 }) };
    expect(described({ ...ingress, metadata: { name: 'plain' }, spec, status: {} }, around)).toBe(`\
Name:             plain
Labels:           <none>
Namespace:        default
Address:          
Ingress Class:    <none>
Default backend:  web:80 (10.93.0.2:8080,10.93.0.3:8080)
Rules:
  Host        Path  Backends
  ----        ----  --------
  *           *     web:80 (10.93.0.2:8080,10.93.0.3:8080)
Annotations:  <none>
Events:       <none>
`);
  });
});

it('an IngressClass is listed and described', () => {
  const parameters = { apiGroup: 'k8s.example.com', kind: 'P', name: 'ext', scope: 'Cluster' };
  const spec = { controller: 'k8s.io/ingress-nginx', parameters };
  const nginx = { apiVersion: NETWORKING, kind: 'IngressClass', metadata: { name: 'nginx' }, spec };
  expect(table('ingressclasses', nginx)).toBe(`\
NAME    CONTROLLER             PARAMETERS              AGE
nginx   k8s.io/ingress-nginx   P.k8s.example.com/ext   60s
`);
  expect(described(nginx)).toBe(`\
Name:         nginx
Labels:       <none>
Annotations:  <none>
Controller:   k8s.io/ingress-nginx
Parameters:
  APIGroup:  k8s.example.com
  Kind:      P
  Name:      ext
Events:      <none>
`);
});

describe('a NetworkPolicy', () => {
  const policy = (spec: object): KubeObject => ({
    apiVersion: NETWORKING,
    kind: 'NetworkPolicy',
    metadata: { name: 'some', labels: { x: 'y' } },
    spec,
  });
  const HEAD = `\
Name:         some
Namespace:    default
Created on:   2026-01-15 11:59:00 +0000 UTC
Labels:       x=y
Annotations:  <none>
Spec:
`;

  it('is listed', () => {
    expect(table('networkpolicies', policy({ podSelector: { matchLabels: { app: 'db' } } }))).toBe(`\
NAME   POD-SELECTOR   AGE
some   app=db         60s
`);
  });

  it('is described as kubectl does', () => {
    const ports = [
      { protocol: 'TCP', port: 5432 },
      { protocol: 'UDP' },
      { port: 'web', protocol: 'TCP' },
      { port: 1, endPort: 5, protocol: 'TCP' },
    ];
    const from = [
      { podSelector: { matchLabels: { a: 'b' } } },
      { namespaceSelector: {}, podSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: ['b', 'a'] }] } },
      { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.0.0/16'] } },
    ];
    const spec = {
      podSelector: { matchLabels: { app: 'db' } },
      policyTypes: ['Ingress'],
      ingress: [{ ports, from }, {}],
    };
    expect(described(policy(spec))).toBe(`${HEAD}\
  PodSelector:     app=db
  Allowing ingress traffic:
    To Port: 5432/TCP
    To Port: <nil>/UDP
    To Port: web/TCP
    To Port Range: 1-5/TCP
    From:
      PodSelector: a=b
    From:
      NamespaceSelector: <none>
      PodSelector: k in (a,b)
    From:
      IPBlock:
        CIDR: 10.0.0.0/8
        Except: 10.1.0.0/16, 10.2.0.0/16
    ----------
    To Port: <any> (traffic allowed to all ports)
    From: <any> (traffic not restricted by source)
  Not affecting egress traffic
  Policy Types: Ingress
`);
  });

  it.each([
    ['UTC', '2026-01-15 11:59:00 +0000 UTC'],
    ['Europe/Berlin', '2026-01-15 12:59:00 +0100 CET'],
    ['America/New_York', '2026-01-15 06:59:00 -0500 EST'],
    ['Asia/Tokyo', '2026-01-15 20:59:00 +0900 JST'],
    ['Asia/Kolkata', '2026-01-15 17:29:00 +0530 IST'],
    ['Asia/Dhaka', '2026-01-15 17:59:00 +0600 +06'],
    ['Asia/Kathmandu', '2026-01-15 17:44:00 +0545 +0545'],
  ])('has the time of its creation in the zone %s', (zone, text) => {
    vi.stubEnv('TZ', zone);
    expect(described(policy({}))).toContain(`Created on:   ${text}\n`);
  });

  it('without policy types is described as kubectl does', () => {
    expect(described(policy({}))).toContain('  Policy Types: <none>\n');
  });

  it('that denies everything is described as kubectl does', () => {
    expect(described(policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }))).toBe(`${HEAD}\
  PodSelector:     <none> (Allowing the specific traffic to all pods in this namespace)
  Allowing ingress traffic:
    <none> (Selected pods are isolated for ingress connectivity)
  Allowing egress traffic:
    <none> (Selected pods are isolated for egress connectivity)
  Policy Types: Ingress, Egress
`);
  });
});
