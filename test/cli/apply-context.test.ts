import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { type Ended, type Podrun, Workshop } from './workshop.ts';

// The cluster is `podrun serve`, with a state folder of its own: everything here goes over its API.
const cluster = new Workshop();
const workshop = new Workshop();
let env: Record<string, string>;

beforeAll(async () => {
  const server = cluster.start(['serve', '--network', 'host']);
  await server.until(({ stderr }) => stderr.includes('serving '));
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(server.stdout) ?? [];
  env = { KUBECONFIG: kubeconfig };
});
afterAll(async () => {
  await workshop.close();
  await cluster.close();
});

const manifest = (name: string, objects: readonly object[]): string =>
  workshop.file(`${name}.json`, objects.map((object) => JSON.stringify(object)).join('\n---\n'));

/** The kubeconfig of the cluster. */
const access = (): Record<string, string> => env;

const REMOVE_FINALIZERS = JSON.stringify([{ op: 'remove', path: '/metadata/finalizers' }]);

const onCluster = (args: readonly string[]): Podrun => workshop.start(['apply', '--context', 'podrun', ...args], env);

/** The objects of a type that the cluster has, with its own namespaces left out. */
async function left(type: string): Promise<string[]> {
  const { stdout } = await cluster.run(['get', type, '-A', '-o', 'name']);
  return stdout.split('\n').filter((name) => name !== '' && !/namespace\/(default|kube-.*)$/.test(name));
}

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'hello' },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo from the cluster; exit $CODE'] }],
      },
    },
  },
};

function job(code: number): object {
  const [container] = JOB.spec.template.spec.containers;
  const containers = [{ ...container, env: [{ name: 'CODE', value: String(code) }] }];
  const template = { spec: { ...JOB.spec.template.spec, containers } };
  return { ...JOB, spec: { backoffLimit: 0, template } };
}

const SERVER = (port: number): object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: port }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'node',
          command: [process.execPath, '-e', `require('http').createServer((_, to) => to.end('hello')).listen(${port})`],
          ports: [{ name: 'http', containerPort: port }],
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
        },
      ],
    },
  },
];

it('runs a Job to its end, has its log and its verdict, and leaves nothing on the cluster', async () => {
  const { exitCode, stdout, stderr } = await onCluster([manifest('failing', [job(3)])]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('error: job "hello" failed') });
  expect(stdout).toMatch(/│ hello-\w+\/main +from the cluster\n/);
  expect(await left('namespaces')).toEqual([]);

  const record = async (args: readonly string[]): Promise<Ended> => workshop.run([...args, '--context', 'podrun']);
  const namespace = /namespace (\S+) of context podrun/.exec(stdout)?.[1] ?? '';
  const pods = await record(['get', 'pods', '-n', namespace, '-o', 'jsonpath={.items[*].status.phase}']);
  expect(pods.stdout).toBe('Failed');
  expect((await record(['logs', 'job/hello', '-n', namespace])).stdout).toBe('from the cluster\n');
  // The records of the cluster are not among those of this machine.
  expect((await workshop.run(['get', 'pods', '-A'])).stdout).toBe('');
});

/** A Job of a chart that prints a line. */
function hookJob(name: string, annotations: Readonly<Record<string, string>>, script = `echo ${name} runs`): object {
  const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }];
  const spec = { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers } } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, annotations }, spec };
}

const CHART = [
  hookJob('notify', { 'helm.sh/hook': 'post-install', 'helm.sh/hook-delete-policy': 'hook-succeeded' }),
  hookJob('second', { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '2' }),
  hookJob('first', { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '1' }),
  hookJob('clean', { 'helm.sh/hook': 'pre-delete' }),
  hookJob('app', {}),
];

const RBAC = 'rbac.authorization.k8s.io';
const OPERATOR = [
  { apiVersion: 'golf.example/v1', kind: 'Tee', metadata: { name: 'first' }, spec: { hole: 1 } },
  { apiVersion: 'monitoring.example/v1', kind: 'Monitor', metadata: { name: 'app' } },
  { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'app' } },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'app' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'app' },
    subjects: [{ kind: 'ServiceAccount', name: 'default' }],
  },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name: 'app' },
    rules: [{ apiGroups: ['golf.example'], resources: ['tees'], verbs: ['get'] }],
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tees.golf.example' },
    spec: {
      group: 'golf.example',
      scope: 'Namespaced',
      names: { kind: 'Tee', plural: 'tees' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  },
  hookJob('app', {}),
];

it('creates roles, definitions and custom objects in their order, and names kinds that nothing defines', async () => {
  const { exitCode, stdout, stderr } = await onCluster([manifest('operator', OPERATOR)]).ended;
  expect(exitCode).toBe(0);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/^Warning: no matches for kind "Monitor" .* defines it, ignored \(.*operator.json:3:\d+\)$/),
    expect.stringMatching(/^Warning: no matches for kind "Pod.* ignored - use policy\/v1 \(.*operator.json:5:\d+\)$/),
    '',
  ]);
  expect(stdout.match(/\S+ created$/gm)).toEqual([
    'customresourcedefinition.apiextensions.k8s.io/tees.golf.example created',
    'role.rbac.authorization.k8s.io/app created',
    'rolebinding.rbac.authorization.k8s.io/app created',
    'job.batch/app created',
    'tee.golf.example/first created',
  ]);
  for (const type of ['crd', 'jobs']) expect(await left(type)).toEqual([]);
  for (const type of ['roles', 'rolebindings']) expect((await left(type)).join()).not.toContain('/app');
});

it('with --strict refuses a kind that neither the manifests nor the cluster define', async () => {
  const { exitCode, stderr } = await onCluster(['--strict', manifest('strict', OPERATOR)]).ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('no matches for kind "Monitor" in version "monitoring.example/v1"');
  expect(await left('crd')).toEqual([]);
});

it('creates objects of kinds that the cluster has', async () => {
  const [tee, , , , , definition, app] = OPERATOR;
  const defined = cluster.file('crd.json', JSON.stringify(definition));
  await cluster.run(['create', '-f', defined]);
  const { exitCode, stdout } = await onCluster([manifest('tee', [tee!, app!])]).ended;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('tee.golf.example/first created'),
  });
  expect(await left('crd')).toEqual(['customresourcedefinition.apiextensions.k8s.io/tees.golf.example']);
  expect(await left('tees')).toEqual([]);
  await cluster.run(['delete', 'crd', 'tees.golf.example']);
});

it('leaves out the hooks of a chart, and names them', async () => {
  const { exitCode, stdout, stderr } = await onCluster([manifest('chart', CHART)]).ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('hooks of helm are not run: job/notify (post-install), job/second (pre-install), job/first');
  expect(stdout.match(/\w+ runs\n/g)).toEqual(['app runs\n']);
});

it('runs the hooks of a chart before and after the rest', async () => {
  const { exitCode, stdout, stderr } = await onCluster(['--helm-hooks', manifest('hooks', CHART)]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('not run: job/clean') });
  const lines = stdout.match(/job\.batch\/\w+ (created|has succeeded|deleted)/g);
  expect(lines?.join('\n')).toBe(
    [
      'job.batch/first created',
      'job.batch/first has succeeded',
      'job.batch/second created',
      'job.batch/second has succeeded',
      'job.batch/app created',
      'job.batch/notify created',
      'job.batch/notify has succeeded',
      'job.batch/notify deleted',
    ].join('\n'),
  );
  expect(stdout).not.toContain('another client');
  expect(await left('jobs')).toEqual([]);
});

it('begins nothing after a hook that fails, and leaves nothing', async () => {
  const failing = hookJob('migrate', { 'helm.sh/hook': 'pre-install' }, 'echo no database; exit 3');
  const chart = manifest('failing-hook', [failing, hookJob('app', {})]);
  const { exitCode, stdout, stderr } = await onCluster(['--helm-hooks', chart]).ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('error: job.batch/migrate: the pre-install hook failed: BackoffLimitExceeded'),
  });
  expect(stdout).toContain('no database');
  expect(stdout).not.toContain('job.batch/app created');
  expect(await left('namespaces')).toEqual([]);
});

it('ends a hook with Ctrl-C and with its time, and leaves nothing', async () => {
  const chart = manifest('long-hook', [hookJob('wait', { 'helm.sh/hook': 'pre-install' }, 'sleep 1000')]);
  const run = onCluster(['--helm-hooks', chart]);
  await run.until(({ stdout }) => stdout.includes('started'));
  run.signal('SIGINT');
  expect((await run.ended).exitCode).toBe(130);
  const { exitCode, stderr } = await onCluster(['--helm-hooks', '--timeout', '1s', chart]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 124, stderr: expect.stringContaining('the hook job.batch/wait') });
  expect(await left('namespaces')).toEqual([]);
});

it('gives COMMAND ports of this machine that lead to Pods and Services', async () => {
  const file = manifest('server', SERVER(await freePort()));
  const get = `require('http').get('http://' + process.argv[1], (answer) => answer.pipe(process.stdout))`;
  const both =
    'for place in $WEB_SERVICE_HOST:$WEB_SERVICE_PORT $PODRUN_IP:$PODRUN_PORT_HTTP; do "$0" -e "$1" $place; done';
  const { exitCode, stdout } = await onCluster([file, '--', 'sh', '-c', both, process.execPath, get]).ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/hello[^]*hello/) });
});

it('shows no address of another machine', async () => {
  const port = await freePort();
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rules = [{ host: 'web.localhost', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }];
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' }, spec: { rules } };
  const file = manifest('served', [...SERVER(port), ingress]);
  const podrun = onCluster([file]);
  await podrun.until(({ stdout }) => /✓ web .*Ready/.test(stdout));
  // The server of the cluster has written its event before it served the Pod.
  const { stdout: events } = await cluster.run(['get', 'events', '-A', '-o', 'jsonpath={.items[*].reason}']);
  expect(events.split(' ')).toEqual(expect.arrayContaining(['ServiceServed', 'IngressServed']));
  podrun.signal('SIGINT');
  expect((await podrun.ended).stdout).not.toMatch(/http:/);
});

it('touches nothing that it has not created', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
  const file = manifest('kept', [{ ...config, metadata: { name: 'own' } }, config]);
  await cluster.run(['apply', manifest('before', [config])]);
  const { exitCode, stderr } = await onCluster(['-n', 'default', file]).ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('configmaps "kept" already exists in namespace "default" of the cluster'),
  });
  const own = (await left('configmaps')).filter((name) => !/kube-root-ca|extension-apiserver-auth/.test(name));
  expect(own).toEqual(['configmap/kept']);
});

it('removes what a killed run has left', async () => {
  const sleeper = { name: 'main', image: 'busybox', command: ['sleep', '1000'] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'left' }, spec: { containers: [sleeper] } };
  const killed = onCluster([manifest('left', [pod])]);
  await killed.until(({ stdout }) => stdout.includes('Running'));
  killed.signal('SIGKILL');
  await killed.ended;
  expect(await left('pods')).toEqual(['pod/left']);
  const { exitCode, stderr } = await onCluster([manifest('fine', [job(0)])]).ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('a killed podrun has left') });
  await expect.poll(() => left('pods')).toEqual([]);
});

it('tells when its namespace vanishes', async () => {
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }],
  };
  const lost = onCluster([manifest('lost', [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'lost' }, spec }])]);
  await lost.until(({ stdout }) => stdout.includes('Running'));
  const [, namespace = ''] = /namespace (\S+) of context/.exec(lost.stdout) ?? [];
  await cluster.run(['delete', 'namespace', namespace]);
  const { exitCode, stderr } = await lost.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('another client has deleted pod/lost from the cluster') as unknown,
  });
});

it('tells of a deletion by another client whose Pod has ended before it is gone', async () => {
  const metadata = { name: 'held', finalizers: ['example.com/held'] };
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }];
  const spec = { terminationGracePeriodSeconds: 0, containers };
  const held = onCluster([manifest('held', [{ apiVersion: 'v1', kind: 'Pod', metadata, spec }])]);
  await held.until(({ stdout }) => stdout.includes('Running'));
  const [, namespace = ''] = /namespace (\S+) of context/.exec(held.stdout) ?? [];
  await cluster.run(['delete', 'pod', 'held', '-n', namespace, '--wait=false']);
  const told = 'another client has deleted pod/held from the cluster';
  await held.until(({ stderr }) => stderr.includes(told));
  await cluster.run(['patch', 'pod', 'held', '-n', namespace, '--type=json', '-p', REMOVE_FINALIZERS]);
  const { exitCode, stderr } = await held.ended;
  expect({ exitCode, told: stderr.split(told).length - 1 }).toEqual({ exitCode: 1, told: 1 });
});

it('pulls a manifest that runs here', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { word: 'hush' } };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { key: 'value' } };
  const env = [
    { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'key' } } },
    { name: 'WORD', valueFrom: { secretKeyRef: { name: 'login', key: 'word' } } },
  ];
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'echo $KEY $WORD'], env };
  const spec = { restartPolicy: 'Never', containers: [container] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'source' }, spec };
  expect((await cluster.run(['apply', manifest('source', [secret, config, pod])])).exitCode).toBe(0);
  const pull = async (...flags: readonly string[]): Promise<Ended> =>
    workshop.start(['pull-manifest', 'pod/source', '--context', 'podrun', ...flags], access()).ended;
  const bare = await pull();
  expect(bare.stdout).toContain(
    '# Left out:\n# - ConfigMap settings: --configmaps brings it along\n# - Secret login: ',
  );
  const { exitCode, stdout } = await pull('--configmaps', '--redact');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^# From pod\/source in namespace default of context podrun\.\n(?!#)/);
  expect(stdout).not.toMatch(/uid:|status:|kube-api-access|nodeName|aHVzaA==/);
  const here = await workshop.run(['apply', workshop.file('pulled.yaml', stdout)]);
  expect({ exitCode: here.exitCode, stdout: here.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/│ main +value REDACTED\n/) as unknown,
  });
  expect((await pull('-n', 'nowhere')).stderr).toContain('Error from server (NotFound): pods "source" not found');
});

it('compare runs the same here and there, and tells how the stories differ', async () => {
  const env = [{ name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }];
  const pod = (name: string, script: string): object => {
    const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', script], env }];
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { restartPolicy: 'Never', containers } };
  };
  const compare = (file: string): Promise<Ended> =>
    workshop.start(['compare', file, '--context', 'podrun', '--tolerance-min', '30s'], access()).ended;
  expect(await compare(manifest('same', [pod('one', 'exit 0'), pod('other', 'exit 3')]))).toMatchObject({
    exitCode: 0,
    stdout: 'one here and one on podrun do not differ.\n\nother here and other on podrun do not differ.\n',
  });
  const differs = await compare(manifest('differs', [pod('one', 'case $NAMESPACE in podrun-*) exit 3; esac')]));
  expect(differs.exitCode).toBe(1);
  expect(differs.stdout).toMatch(/^WHERE +WHAT +one here +one on podrun\n/);
  expect(differs.stdout).toMatch(/^main +exit +code 0 +code 3$/m);
  // The other run would go on for ever.
  const endless = manifest('endless', [pod('one', 'exec sleep 1000')]);
  const nowhere = await workshop.start(['compare', endless, '--context', 'nope'], access()).ended;
  expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no Pod began: nope') as unknown });
  expect(await left('namespaces')).toEqual([]);
});

it('refuses what only this machine can do', async () => {
  const network = await onCluster(['--network', 'cluster', manifest('fine', [job(0)])]).ended;
  expect([network.exitCode, network.stderr]).toEqual([2, expect.stringMatching(/^error: --network cannot be used/)]);
  workshop.file('podrun.yaml', 'images:\n  busybox: [node, server.js]\n');
  const mapped = await onCluster([manifest('fine', [job(0)])]).ended;
  expect([mapped.exitCode, mapped.stderr]).toEqual([2, expect.stringContaining('is a program of this machine')]);
  const unknown = await workshop.start(['apply', '--context', 'nope', manifest('fine', [job(0)])], env).ended;
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    'error: the kubeconfig has no context "nope"\nIts contexts are podrun.\n',
  ]);
});
