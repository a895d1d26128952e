import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import type { StoredKubeObject } from '../../../src/api/base/objects.ts';
import { runHere } from '../in-process.ts';
import { putStates, storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';
import { putWorkloads } from './golden-workloads.ts';
import { needs } from '../../needs.ts';

const workshop = workshopForEach();
const DRY = '--dry-run=client -o yaml';

const run = (line: string) => runHere(workshop, line.split(' '));
const find = (resource: string, name: string) => storeOf(workshop).get<StoredKubeObject>(resource, 'default', name);
const ok = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
const failed = (stderr: string, exitCode = 1) => ({ exitCode, stdout: '', stderr });

// The output of kubectl 1.32 without the lines `creationTimestamp: null`: newer ones leave them out.
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: d
  name: d
spec:
  replicas: 2
  selector:
    matchLabels:
      app: d
  strategy: {}
  template:
    metadata:
      labels:
        app: d
    spec:
      containers:
      - image: nginx:1
        name: nginx
        ports:
        - containerPort: 80
        resources: {}
      - image: r.io/a/busybox:2
        name: busybox
        resources: {}
status: {}
`;

const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: c
spec:
  jobTemplate:
    metadata:
      name: c
    spec:
      template:
        metadata: {}
        spec:
          containers:
          - command:
            - date
            image: x
            name: c
            resources: {}
          restartPolicy: OnFailure
  schedule: '@hourly'
status: {}
`;

const POD = `apiVersion: v1
kind: Pod
metadata:
  labels:
    tier: front
  name: r
  namespace: test
spec:
  containers:
  - args:
    - x
    env:
    - name: A
      value: b=c
    image: busybox
    name: r
    ports:
    - containerPort: 80
    resources: {}
  dnsPolicy: ClusterFirst
  restartPolicy: Never
status: {}
`;

describe('a dry run prints the manifest as kubectl does', () => {
  it.each([
    [`create deployment d --image=nginx:1 --image=r.io/a/busybox:2 --replicas=2 --port=80 ${DRY}`, DEPLOYMENT],
    [`create cronjob c --image=x --schedule=@hourly ${DRY} -- date`, CRON_JOB],
    [`run r --image=busybox --restart=Never --env=A=b=c --port=80 -l tier=front -n test ${DRY} -- x`, POD],
    [
      `create secret docker-registry s --docker-username=u --docker-password=p --docker-server=r.io ${DRY}`,
      'apiVersion: v1\ndata:\n  .dockerconfigjson: ' +
        'eyJhdXRocyI6eyJyLmlvIjp7InVzZXJuYW1lIjoidSIsInBhc3N3b3JkIjoicCIsImF1dGgiOiJkVHB3In19fQ==\n' +
        'kind: Secret\nmetadata:\n  name: s\ntype: kubernetes.io/dockerconfigjson\n',
    ],
    [`create namespace two ${DRY}`, 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: two\nspec: {}\nstatus: {}\n'],
    ['create job x --image=busybox --dry-run=client', 'job.batch/x created (dry run)\n'],
    ['create job x --image=busybox --dry-run=server', 'job.batch/x created (server dry run)\n'],
  ])('%s', async (line, stdout) => {
    expect(await run(line)).toEqual(ok(stdout));
    expect(storeOf(workshop).list('jobs')).toEqual([]);
  });
});

describe('create configmap and secret', () => {
  it('take values, files, folders and files of variables', async () => {
    workshop.folderNamed('some');
    workshop.file('some/b.txt', 'two\n');
    workshop.file('some/a.txt', 'one\n');
    workshop.file('vars.env', '# a comment\nLEVEL=info\n\nHOME_OF_ALL\n');
    expect(await run('create configmap texts --from-literal=a=b=c --from-file=some --from-file=k=some/a.txt')).toEqual(
      ok('configmap/texts created\n'),
    );
    expect(find('configmaps', 'texts')?.['data']).toEqual({ a: 'b=c', 'a.txt': 'one\n', 'b.txt': 'two\n', k: 'one\n' });
    await runHere(workshop, ['create', 'secret', 'generic', 's', '--from-env-file=vars.env'], {
      env: { HOME_OF_ALL: 'x' },
    });
    expect(find('secrets', 's')?.['data']).toEqual({ LEVEL: 'aW5mbw==', HOME_OF_ALL: 'eA==' });
    expect(find('secrets', 's')?.['type']).toBe('Opaque');
  });

  it('keep bytes that are no text', async () => {
    const file = workshop.file('bytes', '');
    execFileSync('sh', ['-c', `printf '\\377' > ${file}`]);
    await run('create configmap bytes --from-file=bytes');
    expect(find('configmaps', 'bytes')?.['binaryData']).toEqual({ bytes: '/w==' });
  });

  it('take a certificate with its key only', needs('program openssl'), async () => {
    const [one, two] = ['one', 'two'].map((name) => {
      const [key, cert] = [`${workshop.folder}/${name}.key`, `${workshop.folder}/${name}.crt`];
      const args = [
        'req',
        '-x509',
        '-newkey',
        'ed25519',
        '-nodes',
        '-subj',
        `/CN=${name}`,
        '-keyout',
        key,
        '-out',
        cert,
      ];
      execFileSync('openssl', args, { stdio: 'ignore' });
      return { key, cert };
    });
    expect(await run(`create secret tls web --cert=${one?.cert} --key=${two?.key}`)).toEqual(
      failed('error: tls: private key does not match public key\n', 2),
    );
    expect(await run(`create secret tls web --cert=${one?.cert} --key=${one?.key} -o name`)).toEqual(
      ok('secret/web\n'),
    );
    expect(Object.keys(find('secrets', 'web')?.['data'] ?? {})).toEqual(['tls.crt', 'tls.key']);
  });

  it.each([
    ['configmap', 2, "exactly one NAME is required, got 0\nSee 'podrun create configmap -h' for help and examples"],
    ['configmap x --from-literal=a', 2, 'invalid literal source a, expected key=value'],
    ['configmap x --from-file=/nosuch', 2, 'error reading /nosuch: no such file or directory'],
    ['configmap x --from-file=k=.', 2, 'cannot give a key name for a directory path'],
    [
      'configmap x --from-literal=a=b --from-literal=a=c',
      2,
      'cannot add key "a", another key by that name already exists in Data for ConfigMap "x"',
    ],
    [
      'secret generic x --from-literal=a=b --from-literal=a=c',
      2,
      'cannot add key a, another key by that name already exists',
    ],
    ['secret tls x', 2, 'key and cert must be specified'],
    [
      'secret docker-registry x',
      2,
      'either --from-file or the combination of --docker-username, --docker-password and --docker-server is required',
    ],
    ['job x', 2, 'either --image or --from must be specified'],
    ['job x --from=deployment/web', 1, 'unknown object type *v1.Deployment'],
    ['deployment x', 2, 'required flag(s) "image" not set'],
    ['cronjob x', 2, 'required flag(s) "image", "schedule" not set'],
  ])('refuse %s', async (words, exitCode, message) => {
    putWorkloads(workshop, 'deployment-updated');
    expect(await run(`create ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });

  it('refuse a name that is taken, or wrong', async () => {
    await run('create configmap x');
    expect(await run('create configmap x')).toEqual(
      failed('error: failed to create configmap: configmaps "x" already exists\n'),
    );
    await run('create namespace two');
    expect(await run('create namespace two')).toEqual(
      failed('Error from server (AlreadyExists): namespaces "two" already exists\n'),
    );
    expect((await run('create serviceaccount X')).stderr).toContain(
      'error: failed to create serviceaccount: ServiceAccount "X" is invalid: metadata.name: Invalid value: "X": ',
    );
  });
});

describe('create job and run', () => {
  afterEach(() => workshop.run(['delete', 'jobs,pods', '--all', '--now']));

  it('run a Job of a CronJob in the background', async () => {
    putWorkloads(workshop, 'cronjob-with-active-job');
    expect(await workshop.run(['create', 'job', 'now', '--from=cronjob/report'])).toMatchObject(
      ok('job.batch/now created\n'),
    );
    const { metadata } = find('jobs', 'now')!;
    expect(metadata.annotations).toMatchObject({ 'cronjob.kubernetes.io/instantiate': 'manual' });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'report', controller: true }]);
    expect((await run('create job now --from=cronjob/report')).stderr).toBe(
      'error: failed to create job: jobs.batch "now" already exists\n',
    );
  });

  it('run a Pod in the foreground', async () => {
    const words = 'run r --image=busybox --restart=Never --command -- sh -c'.split(' ');
    const { exitCode, stdout } = await workshop.run([...words, 'echo hello; exit 3']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/│ r +hello\n/);
    expect((await run('run r --image=busybox')).stderr).toBe(
      'Error from server (AlreadyExists): pods "r" already exists\n',
    );
  });

  it.each([
    ['r', 'required flag(s) "image" not set'],
    ['--image=x', "NAME is required for run\nSee 'podrun run -h' for help and examples"],
    ['r --image=x --restart=No', "invalid restart policy: No\nSee 'podrun run -h' for help and examples"],
    ['r --image=x --env=A', 'invalid env: A'],
  ])('refuse: run %s', async (words, message) => {
    expect(await run(`run ${words}`)).toEqual(failed(`error: ${message}\n`, 2));
  });
});

describe('expose', () => {
  it('makes a Service for the Pods of a workload', async () => {
    putWorkloads(workshop, 'deployment-available');
    expect(await run('expose deployment web --target-port=http --name=front')).toEqual(ok('service/front exposed\n'));
    expect(find('services', 'front')?.['spec']).toMatchObject({
      selector: { app: 'web' },
      ports: [{ port: 8080, protocol: 'TCP', targetPort: 'http' }],
      type: 'ClusterIP',
    });
    expect(await run('expose deployment web --name=front')).toEqual(
      failed('Error from server (AlreadyExists): services "front" already exists\n'),
    );
  });

  it('makes a Service for a Pod, or for other ports of a Service', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    await run('expose pod web --port=80,443 -l tier=front');
    expect(find('services', 'web')?.['spec']).toMatchObject({
      ports: [
        { name: 'port-1', port: 80, targetPort: 80 },
        { name: 'port-2', port: 443, targetPort: 443 },
      ],
    });
    expect(find('services', 'web')?.metadata.labels).toEqual({ tier: 'front' });
    expect(await run('expose service web --name=web2')).toEqual(ok('service/web2 exposed\n'));
  });

  it.each([
    ['job/pi --port=80', 1, 'cannot expose a Job.batch'],
    [
      'deployment/web',
      2,
      "couldn't find port via --port flag or introspection\nSee 'podrun expose -h' for help and examples",
    ],
    [
      'rs/front --port=80',
      1,
      "couldn't retrieve selectors via --selector flag or introspection: " +
        "couldn't convert expressions to map-based selector format",
    ],
  ])('refuses %s', async (words, exitCode, message) => {
    for (const state of ['job-complete', 'deployment-updated', 'replicaset-plain']) putWorkloads(workshop, state);
    expect(await run(`expose ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });
});

describe('autoscale', () => {
  it('makes an autoscaler of a workload', async () => {
    putWorkloads(workshop, 'deployment-available');
    const made = await run('autoscale deployment web --min=2 --max=4 --cpu=70% --memory=500');
    expect(made).toEqual(ok('horizontalpodautoscaler.autoscaling/web autoscaled\n'));
    expect(find('horizontalpodautoscalers', 'web')?.['spec']).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 4,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '500Mi' } } },
      ],
    });
  });

  it.each([
    [
      'deployment/web',
      2,
      "--max=MAXPODS is required and must be at least 1, max: -1\nSee 'podrun autoscale -h' for help and examples",
    ],
    [
      'deployment/web --min=3 --max=2',
      2,
      '--max=MAXPODS must be larger or equal to --min=MINPODS, max: 2, min: 3\n' +
        "See 'podrun autoscale -h' for help and examples",
    ],
    ['job/pi --max=2', 1, 'cannot autoscale a Job.batch'],
  ])('refuses %s', async (words, exitCode, message) => {
    for (const state of ['job-complete', 'deployment-updated']) putWorkloads(workshop, state);
    expect(await run(`autoscale ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });
});

describe('create -f', () => {
  const MANIFEST = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {LEVEL: info}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
`;

  it('creates the objects of a manifest, and says which exist', async () => {
    const file = workshop.file('maps.yaml', MANIFEST);
    expect(await run(`create -f ${file} -l x=y`)).toEqual(
      failed('error: no objects passed to create\nNo object matches x=y.\n', 2),
    );
    expect(await run(`create -f ${file} --dry-run=client`)).toEqual(
      ok('configmap/a created (dry run)\nconfigmap/b created (dry run)\n'),
    );
    expect(await run('create configmap b')).toEqual(ok('configmap/b created\n'));
    const exists = `Error from server (AlreadyExists): error when creating "${file}": configmaps`;
    expect(await run(`create -f ${file}`)).toEqual({
      ...failed(`${exists} "b" already exists\n`),
      stdout: 'configmap/a created\n',
    });
    expect((await run(`create -f ${file}`)).stderr).toBe(
      `${exists} "a" already exists\n${exists} "b" already exists\n`,
    );
    expect(await run(`delete -f ${file}`)).toMatchObject({ exitCode: 0 });
    expect(await run(`create -f ${file} -o name`)).toEqual(ok('configmap/a\nconfigmap/b\n'));
  });

  it('makes up names', async () => {
    const file = workshop.file('maps.yaml', MANIFEST.replaceAll(/name: ./g, 'generateName: map-'));
    const lines = /^configmap\/map-[a-z0-9]{5} created\nconfigmap\/map-[a-z0-9]{5} created\n$/;
    expect(await run(`create -f ${file}`)).toEqual(ok(expect.stringMatching(lines)));
    const dry = ' created (dry run)\n';
    expect(await run(`create -f ${file} -o name --dry-run=client`)).toEqual(
      ok(`configmap/<unknown>\nconfigmap/<unknown>\n`),
    );
    expect(await run(`create -f ${file} --dry-run=client`)).toEqual(
      ok(`configmap/<unknown>${dry}configmap/<unknown>${dry}`),
    );
    expect(await run(`apply -f ${file}`)).toEqual(
      failed('error: from map-: cannot use generate name with apply\n'.repeat(2), 2),
    );
  });

  it.each([
    ['create', 'must specify one of -f and -k'],
    ['create -f x -k y', 'only one of -f or -k can be specified'],
    ['create nope', 'unknown command "nope" for "podrun create"'],
  ])('%s is refused', async (words, message) => {
    const usage = "See 'podrun create --help' for usage.";
    expect(await run(words)).toEqual(failed(`error: ${message}\n${usage}\n`, 2));
  });
});
