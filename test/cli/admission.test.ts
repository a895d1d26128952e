import { beforeEach, expect, it } from 'vitest';
import { prepareForCreate } from '../../src/manifest/default/create.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { runHere } from './in-process.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const LIMITS = [
  { apiVersion: 'v1', kind: 'LimitRange', spec: { limits: [{ type: 'Container', max: { cpu: '200m' } }] } },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    spec: { hard: { pods: '1', 'limits.cpu': '1', 'count/jobs.batch': '2' } },
  },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 7 },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { minAvailable: '50%' } },
];

beforeEach(() => {
  putObjects(
    storeOf(workshop),
    LIMITS.map((fields) => {
      const metadata = { name: 'x', namespace: 'default', creationTimestamp: '2026-01-01T10:00:00.000000Z' };
      const made = prepareForCreate(applyDefaults({ ...fields, metadata }));
      return { ...made, metadata: { ...made.metadata, creationTimestamp: metadata.creationTimestamp } };
    }),
  );
});

function pod(name: string, fields: string): string {
  const containers = `[{ name: a, image: b, ${fields} }]`;
  return `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec:\n  containers: ${containers}\n`;
}

it('a Pod beyond a LimitRange is refused, and nothing starts', async () => {
  const file = workshop.file('pod.yaml', pod('big', "command: ['true'], resources: { limits: { cpu: 1 } }"));
  expect(await workshop.run(['apply', '-f', file])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'Error from server (Forbidden): pods "big" is forbidden: maximum cpu usage per Container is 200m, but limit is 1',
    ) as string,
  });
  expect(storeOf(workshop).list('pods')).toEqual([]);
});

it('a quota counts the Pods of a manifest together', async () => {
  const file = workshop.file(
    'pods.yaml',
    [pod('one', "command: ['true']"), pod('two', "command: ['true']")].join('---\n'),
  );
  expect(await workshop.run(['apply', '-f', file])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'pods "two" is forbidden: exceeded quota: x, requested: pods=1, used: pods=1, limited: pods=1',
    ) as string,
  });
  expect(storeOf(workshop).list('pods')).toEqual([]);
});

it('a Pod gets the limits of its namespace and the priority of its class', async () => {
  const manifest = pod('one', "command: ['true']").replace(
    'spec:\n',
    'spec:\n  priorityClassName: x\n  restartPolicy: Never\n',
  );
  const file = workshop.file('pod.yaml', manifest);
  expect(await workshop.run(['apply', '-f', file])).toMatchObject({ exitCode: 0 });
  expect(storeOf(workshop).get('pods', 'default', 'one')).toMatchObject({
    metadata: {
      annotations: { 'kubernetes.io/limit-ranger': expect.stringContaining('cpu limit for container a') as string },
    },
    spec: { priority: 7, containers: [{ resources: { limits: { cpu: '200m' }, requests: { cpu: '200m' } } }] },
    status: { qosClass: 'Burstable' },
  });
});

it("ResourceQuotas and LimitRanges have kubectl's columns", async () => {
  const { stdout } = await runHere(workshop, ['get', 'limits,quota,pdb'], {
    env: { PODRUN_NOW: '2026-01-01T12:00:00Z' },
  });
  expect(stdout).toBe(`\
NAME           CREATED AT
limitrange/x   2026-01-01T10:00:00Z

NAME              REQUEST                            LIMIT             AGE
resourcequota/x   count/jobs.batch: 0/2, pods: 0/1   limits.cpu: 0/1   120m

NAME                           MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE
poddisruptionbudget.policy/x   50%             N/A               0                     120m
`);
});
