import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { ServiceTokens } from '../../src/apiserver/base/service-tokens.ts';
import { openAccess } from '../../src/remote/client/index.ts';
import { ClusterConnection } from '../../src/remote/base/connection.ts';
import { credentialsFile } from '../../src/store/base/layout.ts';
import { type Podrun, Workshop } from './workshop.ts';

// The cluster is `podrun serve`, with a state folder of its own, and with rights that its users lack.
const cluster = new Workshop();
const workshop = new Workshop();
let server: Podrun;
let admin: Kubeconfig;
let connection: ClusterConnection;

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: unknown;
}

const RIGHTS = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'delete'] },
  { apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['create'] },
];

async function startServer(...more: readonly string[]): Promise<Podrun> {
  const started = cluster.start(['serve', '--network', 'host', '--authorization', 'rbac', ...more]);
  await started.until(({ stderr }) => stderr.includes('serving '));
  return started;
}

beforeAll(async () => {
  server = await startServer();
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(server.stdout) ?? [];
  admin = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const outcome = openAccess({ kubeconfig, context: 'podrun' });
  if (!outcome.ok) throw new Error(outcome.error);
  connection = new ClusterConnection(outcome.access);
  const metadata = { name: 'dev' };
  const rbac = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'dev' };
  const subjects = [{ kind: 'ServiceAccount', name: 'dev', namespace: 'default' }];
  await asAdmin('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata });
  await asAdmin('POST', `/apis/${rbac}/v1/namespaces/default/roles`, { metadata, rules: RIGHTS });
  await asAdmin('POST', `/apis/${rbac}/v1/namespaces/default/rolebindings`, { metadata, roleRef, subjects });
});
afterAll(async () => {
  await workshop.close();
  await cluster.close();
});

const asAdmin = (method: 'POST' | 'DELETE', at: string, body?: object): Promise<unknown> =>
  connection.request({ method, path: at, body });

const manifest = (name: string, objects: readonly object[]): string =>
  workshop.file(`${name}.json`, objects.map((object) => JSON.stringify(object)).join('\n---\n'));

/** Runs manifests with the access of a kubeconfig. */
function onCluster(kubeconfig: object, args: readonly string[]): Podrun {
  writeFileSync(path.join(workshop.folder, 'kubeconfig'), JSON.stringify(kubeconfig));
  return workshop.start(['apply', '--context', 'podrun', '--kubeconfig', 'kubeconfig', ...args]);
}

/** The access of the ServiceAccount `dev`, with a token that holds for so many seconds. */
async function accessOfDev(seconds: number): Promise<Kubeconfig> {
  const { stdout: uid } = await cluster.run(['get', 'serviceaccount', 'dev', '-o', 'jsonpath={.metadata.uid}']);
  const file = readFileSync(credentialsFile(cluster.stateDir), 'utf8');
  const { server } = JSON.parse(file) as { readonly server: { readonly key: string } };
  const subject = { namespace: 'default', name: 'dev', uid };
  const token = new ServiceTokens(server.key).issue(subject, [], { nowMs: Date.now(), seconds });
  return { ...admin, users: [{ name: 'podrun', user: { token } }] };
}

/** The Pods and ConfigMaps that runs have left. */
async function left(): Promise<string[]> {
  const { stdout } = await cluster.run(['get', 'pods,configmaps', '-A', '-o', 'name']);
  return stdout.split('\n').filter((name) => name !== '' && !/kube-root-ca|extension-apiserver-auth/.test(name));
}

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };

function pod(name: string, command: readonly string[]): object {
  const spec = {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'busybox', command }],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

it('names the rule that is missing, and leaves nothing', async () => {
  const template = { spec: (pod('job', ['true']) as { spec: object }).spec };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' }, spec: { template } };
  const dev = await accessOfDev(3600);
  const refused = await onCluster(dev, ['-n', 'default', manifest('job', [CONFIG, job])]).ended;
  const rule = (at: string, group: string, resource: string): string =>
    `An administrator of the cluster adds this rule to ${at} of yours: ` +
    `{"apiGroups":["${group}"],"resources":["${resource}"],"verbs":["create"]}\n`;
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(rule('a Role of namespace default', 'batch', 'jobs'));
  const nowhere = await onCluster(dev, [manifest('config', [CONFIG])]).ended;
  expect(nowhere.exitCode).toBe(1);
  expect(nowhere.stderr).toContain(rule('a ClusterRole', '', 'namespaces'));
  expect(await left()).toEqual([]);
});

it('ends with the truth after a time without a connection, also when the server has forgotten it', async () => {
  const proxy = await openProxy();
  const go = path.join(workshop.folder, 'go');
  const script = `until [ -e ${go} ]; do sleep 0.05; done; echo the end`;
  const run = onCluster(proxy.before(admin), [manifest('cut', [pod('cut', ['sh', '-c', script])])]);
  await run.until(({ stdout }) => stdout.includes('Running'));
  proxy.cut();
  writeFileSync(go, '');
  await run.until(({ stderr }) => /does not answer|has ended/.test(stderr));
  server.signal('SIGINT');
  await server.ended;
  const audit = path.join(workshop.folder, 'audit');
  server = await startServer('--port', new URL(admin.clusters[0].cluster.server).port, '--audit-log', audit);
  proxy.mend();
  const { exitCode, stdout } = await run.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/│ .*the end\n/) as unknown });
  // It said 410, and the run has listed its Pods again.
  expect(readFileSync(audit, 'utf8')).toMatch(/namespaces\/podrun-\w+\/pods","verb":"list"/);
  expect(await left()).toEqual([]);
});

it('ends when it is locked out, and the next run removes what it has left', async () => {
  const expired = await onCluster(await accessOfDev(-60), ['-n', 'default', manifest('config', [CONFIG])]).ended;
  expect(expired).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Log in to the cluster again.') });

  const endless = manifest('endless', [CONFIG, pod('endless', ['sleep', '1000'])]);
  const proxy = await openProxy();
  const run = onCluster(proxy.before(await accessOfDev(3600)), ['-n', 'default', endless]);
  await run.until(({ stdout }) => stdout.includes('Running'));
  // A ServiceAccount of the same name is another one: its tokens hold, and those before do not.
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await asAdmin('DELETE', `${accounts}/dev`);
  await asAdmin('POST', accounts, { metadata: { name: 'dev' } });
  // Open watches go on without a token.
  proxy.cut();
  proxy.mend();
  const { exitCode, stdout, stderr } = await run.ended;
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain('the run is not removed from the cluster');
  expect(await left()).toEqual(['pod/endless', 'configmap/settings']);
  const next = await onCluster(await accessOfDev(3600), ['-n', 'default', manifest('end', [pod('end', ['true'])])])
    .ended;
  expect(next).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('a killed podrun has left') });
  await expect.poll(left).toEqual([]);
});

/** A proxy before the cluster, until the test ends. */
async function openProxy(): Promise<Proxy> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = new Proxy(server, new URL(admin.clusters[0].cluster.server));
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Passes connections on to a server, unless it is cut. */
class Proxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor(server: Server, { hostname, port }: URL) {
    this.#server = server;
    server.on('connection', (client: Socket) => {
      const target = connect(Number(port), hostname);
      for (const [one, other] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => undefined).on('close', () => other.destroy());
      }
      if (this.#isCut) client.destroy();
    });
  }

  /** The same access, through this proxy. */
  before({ clusters: [{ cluster: place, ...named }], ...others }: Kubeconfig): Kubeconfig {
    const server = `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { ...others, clusters: [{ ...named, cluster: { ...place, server } }] };
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
