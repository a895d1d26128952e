import { expect, it } from 'vitest';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { putOneOfEach } from './one-of-each.ts';
import { storeOf } from './prepared-store.ts';
import { type Workshop, workshopFor, workshopForEach } from './workshop.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const workshop = workshopForEach();
const ONES = 'ones.one.example.com';

const setStatus = (status: object, where = workshop): void => {
  storeOf(where).change<StoredKubeObject>(ONES, { namespace: 'default', name: 'one' }, 'both', (stored) => ({
    ...stored,
    status,
  }));
};
const wait = (...args: string[]) => runHere(workshop, ['wait', 'ones.one.example.com/one', '--timeout=0', ...args]);
const MET = 'one.one.example.com/one condition met\n';
const UNMET = 'error: condition not met for ones.one.example.com/one\n';

it('wait takes conditions, paths and ready of custom resources', async () => {
  putOneOfEach(workshop);
  setStatus({ phase: 'Dark', conditions: [{ type: 'Ready', status: 'False' }] });
  expect((await wait('--for=ready')).stderr).toBe(UNMET);
  expect((await wait('--for=jsonpath={.status.phase}=Lit')).stderr).toBe(UNMET);
  setStatus({ phase: 'Lit', conditions: [{ type: 'Ready', status: 'True' }] });
  for (const condition of ['ready', 'condition=Ready', 'jsonpath={.status.phase}=Lit'])
    expect(await wait(`--for=${condition}`)).toEqual({ exitCode: 0, stdout: MET, stderr: '' });
});

const slow = { containers: [{ name: 'main', command: ['sleep', '600'] }] };

it('apply waits for an object beside its Pods', async (context) => {
  const own = workshopFor(context);
  putOneOfEach(own);
  setStatus({ phase: 'Dark' }, own);
  const until = ['--settle=0', '--until', 'jsonpath={.status.phase}=Lit', 'one.one.example.com/one'];
  const podrun = own.begin(['apply', own.pod('operator', slow), ...until]);
  await podrun.until(({ stdout, stderr }) => (stdout + stderr).includes('waits for {.status.phase}=Lit'));
  setStatus({ phase: 'Lit' }, own);
  expect((await podrun.ended).exitCode).toBe(0);
});

it('apply says after the time limit what it has waited for', async () => {
  putOneOfEach(workshop);
  setStatus({ conditions: [{ type: 'Ready', status: 'False', reason: 'NoLamp' }] });
  const goal = ['--settle=0', `--timeout=${LIMIT}`, '--until=ready', 'one.one.example.com/one', 'things.example.com/x'];
  const { exitCode, stderr } = await untilTimeIsUp(
    (more) => runHere(workshop, ['apply', workshop.pod('operator', slow), ...goal], more),
    (shown) => shown.includes('ContainersReady, Ready'),
  );
  expect(exitCode).toBe(124);
  expect(stderr).toContain(
    'timed out after 5m\none.one.example.com/one: its condition Ready is False: NoLamp\n' +
      'things.example.com/x: no kind of this name is defined yet\n',
  );
});

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.try.example.com' },
  spec: {
    group: 'try.example.com',
    scope: 'Namespaced',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const lampWith = (name: string, more: object = {}) => ({
  apiVersion: 'try.example.com/v1',
  kind: 'Lamp',
  metadata: { name },
  ...more,
});
const dark = lampWith('hall', { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NoBulb' }] } });
const operator = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'operator' },
  spec: { containers: [{ ...slow.containers[0], image: 'busybox' }], terminationGracePeriodSeconds: 0 },
};
const lampsIn = (own: Workshop, ...more: object[]): string =>
  own.file('all.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [definition, dark, ...more] }));
const light = (own: Workshop): void => {
  storeOf(own).change<StoredKubeObject>(
    'lamps.try.example.com',
    { namespace: 'default', name: 'hall' },
    'both',
    (stored) => ({ ...stored, status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
  );
};
const UNLIT = 'lamp.try.example.com/hall: its condition Ready is False: NoBulb';

it.for([
  ['beside its Pods', [operator, lampWith('shed')]],
  ['without a Pod', []],
] as const)('apply --until ready waits for the custom resources of its manifests %s', async ([, more], context) => {
  const own = workshopFor(context);
  const podrun = own.begin(['apply', lampsIn(own, ...more), '--settle=0', '--until=ready']);
  await podrun.until(({ stdout, stderr }) => (stdout + stderr).includes(UNLIT));
  expect(podrun.stdout + podrun.stderr).not.toContain('shed: ');
  light(own);
  expect((await podrun.ended).exitCode).toBe(0);
});

it('a goal without Ready, and one that names objects, passes over the custom resources of the manifests', async () => {
  const file = lampsIn(workshop, operator, lampWith('shed'));
  const goals = [['--until=Initialized'], ['--settle=0', '--until=ready', 'lamp/shed']];
  for (const goal of goals) expect((await runHere(workshop, ['apply', file, ...goal])).exitCode).toBe(0);
});

it('a condition needs an object', async () => {
  const { exitCode, stderr } = await runHere(workshop, ['apply', 'pod.yaml', '--until=jsonpath={.a}=b']);
  expect([exitCode, stderr]).toEqual([
    2,
    'error: --until jsonpath={.a}=b needs an object\nName it: TYPE/NAME, as with podrun wait.\n',
  ]);
});
