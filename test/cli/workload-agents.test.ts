import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject, StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { PATIENT } from '../patience.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

interface Counted extends StoredKubeObject {
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

/** A template whose Pods end at once when they are told to. */
function template(version: string): KubeObject['spec'] {
  const env = [
    { name: 'VERSION', value: version },
    { name: 'WORKSHOP', value: workshop.folder },
  ];
  const containers = [{ name: 'main', image: 'busybox', env, command: ['sleep', '600'] }];
  return { metadata: { labels: { app: 'web' } }, spec: { terminationGracePeriodSeconds: 1, containers } };
}

function manifest(object: KubeObject): string {
  return workshop.file(`${object.kind}.yaml`, stringify(object, { aliasDuplicateObjects: false }));
}

function deployment(replicas: number, version = '1'): string {
  return manifest({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(version) },
  });
}

function job(command: string): string {
  const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', command] }];
  const pods = { spec: { restartPolicy: 'Never', containers } };
  const spec = { backoffLimit: 0, template: pods };
  return manifest({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi' }, spec });
}

function stored(apiVersion: string, kind: string, name: string): Counted | undefined {
  return storeOf(workshop).get<Counted>(resourceTypeOf({ apiVersion, kind }).plural, 'default', name);
}

const web = (): Counted | undefined => stored('apps/v1', 'Deployment', 'web');
const pods = (): StoredPod[] => storeOf(workshop).list<StoredPod>('pods', { namespace: 'default' });
const replicaSets = (): StoredKubeObject[] => storeOf(workshop).list<StoredKubeObject>('replicasets');
const ready = (count: number) => vi.waitUntil(() => web()?.status.readyReplicas === count, PATIENT);

/** Waits for the end of a rollout of the second template. */
async function rolledOut(count: number): Promise<void> {
  const isDone = (): boolean => {
    const { observedGeneration, replicas, updatedReplicas, readyReplicas } = web()?.status ?? {};
    return (
      observedGeneration === 2 &&
      [replicas, updatedReplicas, readyReplicas, pods().length].every((each) => each === count)
    );
  };
  await vi.waitUntil(isDone, PATIENT);
}

function agentPid(): number {
  const folder = path.join(workshop.stateDir, '.agents');
  const [id = ''] = readdirSync(folder);
  return (JSON.parse(readFileSync(path.join(folder, id, 'process.json'), 'utf8')) as { pid: number }).pid;
}

describe('a Deployment in the foreground', () => {
  it('rests after Ctrl-C, without Pods, and the next apply takes it up', async () => {
    const file = deployment(2);
    const first = workshop.start(['apply', file]);
    await ready(2);
    const before = web();
    first.signal('SIGINT');
    expect((await first.ended).exitCode).toBe(130);
    expect(web()?.metadata).toMatchObject({ uid: before?.metadata.uid, generation: 1 });
    expect(web()?.status).toMatchObject({ unavailableReplicas: 2, terminatingReplicas: 0 });
    expect(web()?.status.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'False' }));
    expect(replicaSets()).toMatchObject([{ spec: { replicas: 2 }, status: { replicas: 0 } }]);
    expect(pods().map(({ status }) => status.phase)).toEqual(['Failed', 'Failed']);

    const second = workshop.start(['apply', file]);
    await ready(2);
    expect(web()?.metadata).toMatchObject({ uid: before?.metadata.uid, generation: 1 });
    expect(replicaSets()).toHaveLength(1);
    expect(pods().map(({ status }) => status.phase)).toEqual(['Running', 'Running']);
    expect((await workshop.run(['delete', 'deployment', 'web'])).stdout).toBe(
      'deployment.apps "web" deleted from default namespace\n',
    );
    expect((await second.ended).exitCode).toBe(0);
    expect([web(), replicaSets(), pods()]).toEqual([undefined, [], []]);
  });

  it('whose agent was killed continues with the next apply', async () => {
    const first = workshop.start(['apply', deployment(2)]);
    await ready(2);
    const uids = new Set(pods().map(({ metadata }) => metadata.uid));
    first.signal('SIGKILL');
    await first.ended;
    const second = workshop.start(['apply', deployment(2, '2')]);
    await rolledOut(2);
    expect(pods().some(({ metadata }) => uids.has(metadata.uid))).toBe(false);
    second.signal('SIGINT');
    await second.ended;
  });

  it('is deleted with all that it owns while it rests', async () => {
    const first = workshop.start(['apply', deployment(1)]);
    await ready(1);
    first.signal('SIGINT');
    await first.ended;
    expect((await workshop.run(['delete', 'deploy/web', '--cascade=foreground'])).exitCode).toBe(0);
    expect([web(), replicaSets(), pods()]).toEqual([undefined, [], []]);
  });

  it('leaves its ReplicaSet behind when it is deleted as orphan while it rests', async () => {
    const first = workshop.start(['apply', deployment(1)]);
    await ready(1);
    first.signal('SIGINT');
    await first.ended;
    expect((await workshop.run(['delete', 'deploy/web', '--cascade=orphan'])).exitCode).toBe(0);
    expect(web()).toBeUndefined();
    expect(replicaSets().map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined]);
  });
});

describe('a Deployment in the background', () => {
  it('is rolled out to its end by the next agent when the agent is killed meanwhile', async () => {
    expect(await workshop.run(['apply', '-d', deployment(4)])).toMatchObject({
      exitCode: 0,
      stdout: 'deployment.apps/web created\n',
    });
    await ready(4);
    expect((await workshop.run(['apply', '-d', deployment(4, '2')])).stdout).toBe('deployment.apps/web configured\n');
    await vi.waitUntil(() => replicaSets().length === 2, PATIENT);
    const killed = agentPid();
    process.kill(killed, 'SIGKILL');
    await vi.waitUntil(() => startTimeOf(killed) === undefined, PATIENT);
    expect(await workshop.run(['get', 'deploy', 'web'])).toMatchObject({
      exitCode: 0,
      stderr: `deployment/web: the background agent (process ${killed}) had ended; podrun started another\n`,
    });
    expect(agentPid()).not.toBe(killed);
    await rolledOut(4);
    expect(pods().map(({ spec }) => spec.containers[0]?.env?.[0]?.value)).toEqual(['2', '2', '2', '2']);
    expect((await workshop.run(['delete', 'deploy', 'web'])).exitCode).toBe(0);
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect([replicaSets(), pods(), workshop.processes()]).toEqual([[], [], []]);
  });
});

describe('a Job', () => {
  it('that has ended is replaced by the next apply, which says so', async () => {
    expect(await workshop.run(['apply', job('exit 3')])).toMatchObject({ exitCode: 1 });
    const failed = stored('batch/v1', 'Job', 'pi');
    const again = await workshop.run(['apply', job('exit 3')]);
    expect(again.exitCode).toBe(1);
    expect(again.stdout + again.stderr).toContain('job.batch/pi is replaced: it was Failed\n');
    const other = await workshop.run(['apply', job('true')]);
    expect(other.exitCode).toBe(0);
    expect(stored('batch/v1', 'Job', 'pi')?.metadata.uid).not.toBe(failed?.metadata.uid);
    expect(pods().map(({ status }) => status.phase)).toEqual(['Succeeded']);
  });

  it('that was interrupted does not count the Pods that its podrun ended', async () => {
    const first = workshop.start(['apply', job('sleep 600')]);
    await vi.waitUntil(() => pods()[0]?.status.phase === 'Running', PATIENT);
    const uid = stored('batch/v1', 'Job', 'pi')?.metadata.uid;
    first.signal('SIGINT');
    expect((await first.ended).exitCode).toBe(130);
    const second = workshop.start(['apply', job('sleep 600')]);
    await vi.waitUntil(() => pods()[0]?.status.phase === 'Running', PATIENT);
    expect(pods()).toHaveLength(1);
    expect(stored('batch/v1', 'Job', 'pi')).toMatchObject({ metadata: { uid }, status: { active: 1 } });
    expect(stored('batch/v1', 'Job', 'pi')?.status).not.toHaveProperty('failed');
    second.signal('SIGINT');
    await second.ended;
  });
});

describe('delete --cascade', () => {
  it('knows the words of kubectl', async () => {
    expect(await workshop.run(['delete', 'deploy', 'web', '--cascade=some'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'invalid cascade value (some). Must be "background", "foreground", or "orphan"',
      ) as string,
    });
    const warned = await workshop.run(['delete', 'deploy', 'web', '--cascade=false']);
    expect(warned.stderr).toContain(
      'warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.\n',
    );
  });
});
