import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { GOLDEN_ENV, putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const folder = path.join(import.meta.dirname, '../golden/workloads');
const textOf = (state: string, file: string): string => readFileSync(path.join(folder, state, file), 'utf8');
const itemsOf = (state: string, file: string): KubeObject[] =>
  (JSON.parse(textOf(state, file)) as { items: KubeObject[] }).items;

/** Stores the recorded objects of a state. No controller runs. */
function putState(state: string): void {
  putObjects(storeOf(workshop), [...itemsOf(state, 'objects.json'), ...itemsOf(state, 'events.json')]);
}

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runHere(workshop, args, { env: GOLDEN_ENV });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('a stored Deployment with its ReplicaSets', () => {
  beforeEach(() => putState('deployment-updated'));

  it('is listed and described as by kubectl', async () => {
    expect(await run('get', 'deploy', '-o', 'wide')).toBe(textOf('deployment-updated', 'get-wide.txt'));
    expect(await run('get', 'all')).toBe(textOf('deployment-updated', 'get-all.txt'));
    for (const words of [['deployment', 'web'], ['deploy/web'], ['deployments.apps']]) {
      expect(await run('describe', ...words)).toBe(textOf('deployment-updated', 'describe.txt'));
    }
  });

  it('is found by types, labels and fields', async () => {
    expect(await run('get', 'deploy,rs', '--no-headers')).toBe(`\
deployment.apps/web   2/2   2     2     12m
replicaset.apps/web-5f45b7947f   0     0     0     12m
replicaset.apps/web-87847db9c    2     2     2     12m
`);
    expect(await run('get', 'rs', '-o', 'name', '-l', 'pod-template-hash=87847db9c')).toBe(
      'replicaset.apps/web-87847db9c\n',
    );
    expect(await run('get', 'rs', '-o', 'name', '--field-selector', 'status.replicas=0')).toBe(
      'replicaset.apps/web-5f45b7947f\n',
    );
    expect(await run('describe', 'rs', '-l', 'pod-template-hash=87847db9c')).toMatch(/^Name: +web-87847db9c\n/);
  });

  it('is printed in every format', async () => {
    expect(await run('get', 'deploy/web', '-o', 'name')).toBe('deployment.apps/web\n');
    expect(await run('get', 'deploy', 'web', '-o', 'jsonpath={.status.readyReplicas}')).toBe('2');
    expect(await run('get', 'rs', '-o', 'go-template={{range .items}}{{.spec.replicas}}{{end}}')).toBe('02');
    expect(await run('get', 'rs', '--sort-by=.spec.replicas', '-o', 'custom-columns=N:.spec.replicas')).toBe(
      'N\n0\n2\n',
    );
    expect(await run('get', 'deploy', 'web', '-o', 'yaml')).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\n/);
  });

  it('has its Events listed', async () => {
    const lines = (await run('events', '--for', 'deployment/web')).split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^12m +Normal +ScalingReplicaSet +Deployment\/web +Scaled up replica set/);
    const wanted = '--field-selector=involvedObject.kind=ReplicaSet,reason=SuccessfulDelete';
    expect(await run('get', 'events', wanted, '--no-headers')).toMatch(
      /^12m +Normal +SuccessfulDelete +replicaset\/web-5f45b7947f +Deleted pod: \S+\n.*\n$/,
    );
  });
});

it('get -w prints the changes of a Job in its own columns', async () => {
  putState('job-running');
  const store = storeOf(workshop);
  const podrun = workshop.start(['get', 'jobs', '-w', '--output-watch-events'], GOLDEN_ENV);
  await podrun.until(({ stdout }) => stdout.includes('work'));
  const job = store.get('jobs', 'default', 'work');
  store.updateStatus('jobs', { ...job!, status: { ...(job!['status'] as object), succeeded: 5, ready: 0 } });
  await podrun.until(({ stdout }) => stdout.includes('MODIFIED'));
  podrun.signal('SIGINT');
  expect((await podrun.ended).stdout).toBe(`\
EVENT      NAME   STATUS    COMPLETIONS   DURATION   AGE
ADDED      work   Running   0/5           12m        12m
MODIFIED   work   Running   5/5           12m        12m
`);
});

it('a namespace exists as long as it has any object', async () => {
  const [job] = itemsOf('job-suspended', 'objects.json');
  putObjects(storeOf(workshop), [{ ...job!, metadata: { ...job!.metadata, namespace: 'batch' } }]);
  expect(await run('get', 'ns', '-o', 'name')).toBe('namespace/batch\nnamespace/default\n');
  const { stdout } = await workshop.run(['__complete', 'get', 'jobs', '-n', '']);
  expect(stdout).toContain('batch\n');
});

it('a Job whose time to live has passed is gone with its Pods, unless an agent has it', async () => {
  putState('job-complete');
  const store = storeOf(workshop);
  const job = store.list<StoredKubeObject>('jobs', {})[0]!;
  const { name } = job.metadata;
  const expire = (ttlSecondsAfterFinished: number): void => {
    const change = (stored: StoredKubeObject): StoredKubeObject => {
      return { ...stored, spec: { ...(stored['spec'] as object), ttlSecondsAfterFinished } };
    };
    store.change<StoredKubeObject>('jobs', { namespace: 'default', name }, 'object', change);
  };
  expire(1_000_000_000);
  expect(await run('get', 'jobs', '-o', 'name')).toBe(`job.batch/${name}\n`);
  expire(60);
  const claim = store.owners.claim('jobs', { namespace: 'default', name }, 'apply', undefined);
  expect(await run('get', 'jobs', '-o', 'name')).toBe(`job.batch/${name}\n`);
  if (claim.ok) claim.release();
  const { stdout, stderr } = await runHere(workshop, ['get', 'jobs,pods'], { env: GOLDEN_ENV });
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'No resources found in default namespace.\n' });
});
