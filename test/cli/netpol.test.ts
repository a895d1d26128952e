import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const SHOP = `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web }] }
---
apiVersion: v1
kind: Pod
metadata: { name: db, namespace: shop, labels: { app: db } }
spec: { containers: [{ name: db, image: db, ports: [{ name: sql, containerPort: 5432 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: shop }
spec: { clusterIP: 10.96.7.1, selector: { app: db }, ports: [{ port: 80, targetPort: sql }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: db, namespace: shop }
spec:
  podSelector: { matchLabels: { app: db } }
  ingress:
    - from: [{ podSelector: { matchLabels: { app: api } } }, { ipBlock: { cidr: 10.0.0.0/8, except: [10.93.0.0/16] } }]
    - from: [{ namespaceSelector: {}, podSelector: { matchLabels: { app: web } } }]
      ports: [{ port: 9000, endPort: 9010 }, { port: sql }]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed, namespace: shop }
spec: { podSelector: {}, policyTypes: [Ingress] }
`;

const check = (...words: readonly string[]): ReturnType<typeof runHere> =>
  runHere(workshop, ['netpol', 'check', '-n', 'shop', ...words]);

describe('podrun netpol check', () => {
  beforeEach(() => void workshop.file('shop.yaml', SHOP));

  it('says rule by rule which policy permits a connection to a Service', async () => {
    expect(await check('-f', 'shop.yaml', 'deployment/web', 'service/db:80')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: `\
shop/deployment/web to shop/db:5432/TCP: permitted
  egress of shop/deployment/web: permitted, since no policy isolates it
  ingress of shop/db: permitted
    NetworkPolicy shop/db (shop.yaml:21) permits it
      ingress[0]: does not match: not from Pods with app=api, 10.0.0.0/8 except 10.93.0.0/16; any ports
      ingress[1]: matches: from[0] Pods with app=web in all namespaces; ports[1] sql/TCP
    NetworkPolicy shop/closed (shop.yaml:31) isolates it, and has no ingress rule
`,
    });
  });

  it('ends with 1 for a connection that no policy permits', async () => {
    expect(await check('-f', 'shop.yaml', 'deployment/web', 'pod/db:5432/udp')).toEqual({
      exitCode: 1,
      stderr: '',
      stdout: `\
shop/deployment/web to shop/db:5432/UDP: denied
  egress of shop/deployment/web: permitted, since no policy isolates it
  ingress of shop/db: denied
    NetworkPolicy shop/db (shop.yaml:21) isolates it, and no rule matches
      ingress[0]: does not match: not from Pods with app=api, 10.0.0.0/8 except 10.93.0.0/16; any ports
      ingress[1]: does not match: from[0] Pods with app=web in all namespaces; not ports 9000-9010/TCP, sql/TCP
    NetworkPolicy shop/closed (shop.yaml:31) isolates it, and has no ingress rule
`,
    });
  });

  it.each([
    ['node', 'db:sql', 0],
    ['shop/db', 'shop/pod/db:1', 0],
    ['deployment/web', 'deployment/web:80', 1],
    ['10.1.1.1', '10.96.7.1:80', 0],
    ['203.0.113.9', '10.96.7.1:80', 1],
    ['other/deploy/web', 'db:1', 1],
    ['db', '203.0.113.9:443', 0],
    ['db', '[2001:db8::1]:443', 0],
    ['db', 'kube-system/kube-dns:dns', 0],
  ])('%s to %s ends with %i', async (from, to, exitCode) => {
    expect(await check('-f', 'shop.yaml', from, to)).toMatchObject({ exitCode });
  });

  it.each([
    ['web', 'db:5432', 'there is no Pod shop/web\nThere is deployment/web.\n'],
    ['node', 'db:sqll', 'shop/db has no port sqll\nDid you mean "sql"?\n'],
    ['node', 'service/db:81', 'service/db has no port 81: it has 80/TCP\n'],
    ['service/db', 'db:1', 'a Service opens no connections: service/db\nName a Pod or a workload.\n'],
    ['node', 'db', 'no destination with a port: db\nWrite it as pod/db:5432, or pod/dns:53/UDP.\n'],
    ['node', '2001:db8::1:80', 'write the address as [2001:db8::1]: 2001:db8::1:80\n'],
  ])('%s to %s is refused', async (from, to, message) => {
    const { exitCode, stdout, stderr } = await check('-f', 'shop.yaml', from, to);
    expect([exitCode > 0, stdout, stderr]).toEqual([true, '', `error: ${message}`]);
  });
});

describe('podrun netpol check of the store', () => {
  const pod = (name: string, podIP: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels: { app: name } },
    spec: { containers: [{ name: 'a', image: 'a' }] },
    status: { phase: 'Running', podIP, hostIP: '10.94.0.1' },
  });
  const policy: KubeObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'db', namespace: 'shop' },
    spec: { podSelector: { matchLabels: { app: 'db' } }, ingress: [{ from: [{ ipBlock: { cidr: '10.93.1.2/32' } }] }] },
  };

  beforeEach(() => {
    putObjects(storeOf(workshop), [pod('web', '10.93.1.1'), pod('api', '10.93.1.2'), pod('db', '10.93.1.3'), policy]);
  });

  it.each([
    ['web', 'db:5432', 1],
    ['api', '10.93.1.3:5432', 0],
    ['10.93.1.2', 'db:5432', 0],
    ['10.93.1.1', 'db:5432', 1],
    ['10.94.0.1', 'db:5432', 0],
  ])('%s to %s ends with %i', async (from, to, exitCode) => {
    expect(await check(from, to)).toMatchObject({ exitCode });
  });

  it('puts manifests over the store on request', async () => {
    workshop.file('open.yaml', JSON.stringify({ ...policy, spec: { podSelector: {}, ingress: [{}] } }));
    const { exitCode, stdout } = await check('-f', 'open.yaml', '--stored', 'web', 'db:5432');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('NetworkPolicy shop/db (open.yaml:1) permits it\n');
    expect(await check('-f', 'open.yaml', 'web', 'db:5432')).toMatchObject({ exitCode: 1 });
  });

  it('prints records as JSON', async () => {
    expect(JSON.parse((await check('web', 'db:1', '-o', 'json')).stdout)).toEqual([
      {
        from: 'shop/web',
        to: 'shop/db',
        protocol: 'TCP',
        port: 1,
        allowed: false,
        sides: [
          { direction: 'egress', pod: 'shop/web', isolated: false, allowed: true, policies: [] },
          {
            direction: 'ingress',
            pod: 'shop/db',
            isolated: true,
            allowed: false,
            policies: [{ policy: 'shop/db', allowed: false, rules: [{ matches: false, port: 'any' }] }],
          },
        ],
      },
    ]);
  });
});
