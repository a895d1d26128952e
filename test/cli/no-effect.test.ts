import { expect, it } from 'vitest';
import type { StoredEvent } from '../../src/api/base/objects.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** A spec with more than ten idle fields: Kubernetes keeps ten different messages of one reason apart. */
const IDLE = `
  dnsConfig: {searches: [a]}
  topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}]
  schedulerName: mine
  hostAliases: [{ip: 1.2.3.4, hostnames: [x]}]
  imagePullSecrets: [{name: key}]
  securityContext:
    appArmorProfile: {type: RuntimeDefault}
    seLinuxChangePolicy: Recursive
    seLinuxOptions: {level: s0}`;

const MANIFEST = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  dataSource: {kind: PersistentVolumeClaim, name: other}
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  restartPolicy: Never${IDLE}
  containers:
  - {name: a, image: busybox, command: ['true'], ports: [{containerPort: 1, hostPort: 2}]}
  - {name: b, image: busybox, command: ['true'], ports: [{containerPort: 3, hostPort: 4}]}
`;

it('fields without effect are reported in one line, and in an event for each field of each object', async () => {
  const web = workshop.file('web.yaml', MANIFEST);
  const { exitCode, stdout, stderr } = await workshop.run(['apply', '--network', 'host', '-f', web]);
  expect(exitCode).toBe(0);
  expect(stdout.match(/no effect: .*/g)).toEqual([
    'no effect: dnsConfig, topologySpreadConstraints, schedulerName, hostAliases, ' +
      'securityContext.appArmorProfile.type, securityContext.seLinuxOptions, ' +
      'securityContext.seLinuxChangePolicy, ports.hostPort',
  ]);
  expect(stderr).toContain('Warning: persistentvolumeclaim/data: spec.dataSource: the folder is empty at first');
  const { items } = JSON.parse((await workshop.run(['events', '-o', 'json'])).stdout) as { items: StoredEvent[] };
  const told = items.filter(({ reason }) => reason === 'FieldHasNoEffect');
  const fieldsOf = (kind: string): string[] =>
    told
      .filter(({ involvedObject }) => involvedObject.kind === kind)
      .map(({ message = '' }) => message.split(': ')[0]!);
  expect(fieldsOf('PersistentVolumeClaim')).toEqual(['spec.dataSource', 'spec.dataSourceRef']);
  expect(fieldsOf('Pod')).toHaveLength(8);
  expect(fieldsOf('Pod')).toContain('spec.containers[0].ports[0].hostPort, spec.containers[1].ports[0].hostPort');
  expect(told.map(({ type, count, source }) => [type, count, source?.component])).toEqual(
    told.map(() => ['Warning', 1, 'podrun']),
  );
});

it('fields without effect in a template are reported once for all Pods', async () => {
  const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: tries}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      restartPolicy: Never
      schedulerName: mine
      containers: [{name: main, image: busybox, command: ['true']}]
`;
  const { exitCode, stdout } = await workshop.run(['apply', workshop.file('job.yaml', job)]);
  expect(exitCode).toBe(0);
  expect(stdout.match(/no effect: .*/g)).toEqual(['no effect: schedulerName']);
});

it('fields without effect are reported on standard error by apply -d', async () => {
  const pod = (name: string, rest: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec:\n  restartPolicy: Never\n  ${rest}\n` +
    "  containers: [{ name: c, image: busybox, command: ['true'], ports: [{ containerPort: 1, hostPort: 2 }] }]\n";
  const text = `${pod('one', 'schedulerName: mine')}---\n${pod('two', 'hostname: two')}`;
  const args = ['apply', '-d', '--wait', '--network', 'host', '-f', workshop.file('both.yaml', text)];
  const { stderr } = await workshop.run(args, { PODRUN_RUNTIME: 'process' });
  expect(stderr.split('\n').filter((line) => line.includes('no effect'))).toEqual([
    'Warning: pod/one: no effect: schedulerName, ports.hostPort',
    'Warning: pod/two: no effect: ports.hostPort',
  ]);
});
