import { describe, expect, it } from 'vitest';
import { GoalError, run, TimeoutError } from '../../src/library/index.ts';
import { emptyFolder, shellPod } from './pods.ts';

const FOREVER = 'exec sleep 600';

/** A Deployment of one container that runs a script. */
function deployment(name: string, script: string, replicas = 1): object {
  const { spec } = shellPod(name, script, {}, { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

function job(name: string, script: string, more: object = {}): object {
  const { spec } = shellPod(name, script);
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { ...more, template: { spec } } };
}

describe('a Deployment', () => {
  it('runs its Pods, is changed, and goes with them', async () => {
    await using pods = await run(deployment('web', FOREVER), { settle: 0 });
    await pods.until('Available');
    expect(pods.names).toEqual([expect.stringMatching(/^web-\w+-\w+$/)]);
    expect(pods.get('deployment/web').metadata.name).toBe(pods.names[0]);
    expect(pods.workload()).toMatchObject({ kind: 'Deployment', status: { readyReplicas: 1 } });
    expect((await pods.exec('main', ['echo', 'hello'], { pod: 'deployment/web' })).stdout).toBe('hello\n');
    pods.patchWorkload({ spec: { replicas: 2 } });
    await pods.until('Ready', { pod: 'deployment/web' });
    expect(pods.names).toHaveLength(2);
    await pods.until(({ status }) => status.phase === 'Running');
    expect(pods.events('deployment/web').map(({ reason }) => reason)).toContain('ScalingReplicaSet');
    expect(pods.describe().match(/^Name: /gm)).toHaveLength(2);
    expect(pods.describe('deployment/web')).toMatch(/^Replicas: +2 desired \| 2 updated/m);
    expect(() => pods.describe('service/web')).toThrow('services "web" not found');
    await pods.delete('deployment/web');
    expect(pods.names).toEqual([]);
    await expect(pods.until('Ready')).rejects.toThrow('deployment "web" cannot become Ready: it was deleted');
  });

  it('cannot succeed, and is known by name', async () => {
    await using pods = await run([deployment('web', FOREVER, 0), deployment('db', FOREVER, 0)]);
    await expect(pods.until('Succeeded')).rejects.toThrow('until() cannot wait for Succeeded: no Deployment can');
    expect(() => pods.workload()).toThrow('this run has several workloads: name one of deployment/web, deployment/db');
    expect(() => pods.workload('web')).toThrow('this run has no workload "web": it has deployment/web, deployment/db');
    expect(() => pods.logs('main', { pod: 'deployment/web' })).toThrow('deployment/web has no Pods now');
    expect(() => pods.get()).toThrow('this run has no Pods now');
    expect(pods.workloads.map(({ metadata }) => metadata.name)).toEqual(['web', 'db']);
  });

  it('says what its Pods were waiting for when the time is up', async () => {
    const late = deployment('web', 'echo no database; exit 3');
    await using pods = await run(late);
    const error = await pods.until('Ready', { timeout: '1500ms', allowRestarts: true }).catch((why: unknown) => why);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as TimeoutError).message).toMatch(
      /^timed out after 1\.5s, waiting for Ready\ndeployment\/web: .*0\/1 ready.*\npod\/web-.*\n(.*\n)* +no database\n/,
    );
    expect((error as TimeoutError).objects).toMatchObject([{ kind: 'Deployment' }]);
  });
});

it('is not Ready before its Service leads to a port, and says so when the time is up', async () => {
  const ports = [{ port: 80, targetPort: 'nowhere' }];
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports },
  };
  await using pods = await run([deployment('web', FOREVER), service], { settle: 0 });
  await pods.until(({ status }) => status.phase === 'Running');
  const error = await pods.until('Ready', { timeout: '300ms' }).catch((why: unknown) => why);
  expect(error).toBeInstanceOf(TimeoutError);
  expect((error as TimeoutError).message).toBe(
    'timed out after 300ms, waiting for Ready\nservice/web: its Pods have no port of its targetPort',
  );
});

it('says which address a Service has when that of its manifest cannot be had', async () => {
  const spec = { clusterIP: '10.43.0.7', selector: { app: 'web' }, ports: [{ port: 80 }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
  const warnings: string[] = [];
  await using pods = await run([deployment('web', FOREVER), service], { onWarning: (text) => warnings.push(text) });
  const replaced = expect.stringMatching(
    /^service\/web: clusterIP 10\.43\.0\.7 is taken or of another network; it is \d+\.96\.\d+\.\d+ here$/,
  ) as string;
  expect(warnings).toContainEqual(replaced);
  await pods.stop();
});

describe('a Job', () => {
  it('is Complete beside a server that it prepares, with the variables of the run', async () => {
    await using pods = await run([deployment('db', FOREVER), job('migrate', 'echo "to $LEVEL"')], {
      env: { LEVEL: 'seven' },
    });
    await pods.until('Succeeded');
    expect(pods.logs('main', { pod: 'job/migrate' })).toBe('to seven\n');
    await pods.until('Ready');
    await pods.stop();
    expect(pods.workload('job/migrate')).toMatchObject({ status: { succeeded: 1 } });
  });

  it('fails the wait as soon as it has failed', async () => {
    await using pods = await run(job('broken', 'echo no database; exit 3', { backoffLimit: 1 }), {
      jobBackoff: { initial: 10, max: 20 },
    });
    const error = await pods.until('Succeeded').catch((rejected: unknown) => rejected);
    expect(error).toBeInstanceOf(GoalError);
    expect((error as GoalError).message).toMatch(
      /^job "broken" cannot become Complete: BackoffLimitExceeded, 2 Pods failed \(.*\)\n(.*\n)* +no database/,
    );
    expect((error as GoalError).object).toMatchObject({ kind: 'Job', metadata: { name: 'broken' } });
  });

  it('runs again in a folder that has its record', async () => {
    const stateDir = emptyFolder();
    for (const warnings of [[], ['job.batch/once is replaced: it was Complete']]) {
      await using pods = await run(job('once', 'echo done'), { stateDir });
      await pods.until('Succeeded');
      expect(pods.logs()).toBe('done\n');
      expect(pods.warnings).toEqual(warnings);
    }
  });
});
