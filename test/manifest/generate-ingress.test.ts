import { expect, it } from 'vitest';
import { newIngress } from '../../src/manifest/generate/ingress.ts';

const NOTHING = { name: 'a', rules: [], defaultBackend: undefined, annotations: [], className: undefined };
const path = (at: string, pathType: string, name: string, port: object): object => ({
  path: at,
  pathType,
  backend: { service: { name, port } },
});

it('an Ingress has one rule for each host, and one TLS entry for each Secret', () => {
  const rules = ['foo.com/bar*=svc:80,tls=my', '/x=b:http,tls', 'foo.com/=svc:80', 'bar.com/*=svc:80,tls=my'];
  const made = newIngress({ ...NOTHING, rules, defaultBackend: 'd:80', annotations: ['k=v=w'], className: 'n' });
  expect(made.metadata).toEqual({ name: 'a', annotations: { k: 'v=w' } });
  expect(made.spec).toEqual({
    ingressClassName: 'n',
    defaultBackend: { service: { name: 'd', port: { number: 80 } } },
    tls: [{ hosts: ['foo.com', 'bar.com'], secretName: 'my' }],
    rules: [
      {
        host: 'foo.com',
        http: { paths: [path('/bar', 'Prefix', 'svc', { number: 80 }), path('/', 'Exact', 'svc', { number: 80 })] },
      },
      { http: { paths: [path('/x', 'Exact', 'b', { name: 'http' })] } },
      { host: 'bar.com', http: { paths: [path('/', 'Prefix', 'svc', { number: 80 })] } },
    ],
  });
});

it.each([
  [{ rules: ['bad'] }, 'rule bad is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]'],
  [{ defaultBackend: 'web' }, 'default-backend should be in format servicename:serviceport'],
  [{ defaultBackend: 'web:80', annotations: ['x'] }, 'annotation x is invalid and should be in format key=[value]'],
  [{}, /^not enough information provided: every ingress has to either specify/],
])('%j', (words, message) => {
  expect(() => newIngress({ ...NOTHING, ...words })).toThrow(message);
});
