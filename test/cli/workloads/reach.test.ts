import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { ContainerLog } from '../../../src/store/logs/container-log.ts';
import { instanceLogPath } from '../../../src/store/logs/log-files.ts';
import { newPod } from '../../store/objects.ts';
import { runHere } from '../in-process.ts';
import { putObjects, storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';
import { putWorkloads } from './golden-workloads.ts';

const workshop = workshopForEach();

const run = (line: string) => runHere(workshop, line.split(' '));
const failed = (stderr: string) => ({ exitCode: 1, stdout: '', stderr });

/** Stores a Pod of the Deployment web with a log of one line: its name. */
function putPod(name: string, phase: string, isReady: boolean): void {
  const store = storeOf(workshop);
  const pod = newPod(name, { phase: 'Running' });
  const conditions = [
    { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: pod.metadata.creationTimestamp },
  ];
  const state = { running: { startedAt: '2026-01-15T11:00:00Z' } };
  const status = { name: 'main', image: 'x', imageID: '', ready: isReady, restartCount: 0, state };
  store.create<StoredPod>('pods', {
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'web' } },
    status: { phase, conditions, containerStatuses: [status] } as StoredPod['status'],
  });
  const log = new ContainerLog(instanceLogPath(store.paths('default', name).logs, 'main', 0));
  log.write('stdout', Buffer.from(`${name}\n`), 0);
  log.close();
}

describe('logs of a workload', () => {
  beforeEach(() => putWorkloads(workshop, 'service-with-endpoints'));

  it('come from the ready Pod, or from all Pods', async () => {
    for (const [name, phase, isReady] of [
      ['a', 'Pending', false],
      ['b', 'Running', false],
      ['c', 'Running', true],
    ] as const) {
      putPod(name, phase, isReady);
    }
    const found = { exitCode: 0, stdout: 'c\n', stderr: 'Found 3 pods, using pod/c\n' };
    expect(await run('logs deployment/web')).toEqual(found);
    expect(await run('logs svc/web')).toEqual(found);
    expect(await run('logs deployment/web --all-pods')).toEqual({
      exitCode: 0,
      stdout: '[pod/a/main] a\n[pod/b/main] b\n[pod/c/main] c\n',
      stderr: '',
    });
  });

  it('come from the only Pod, without a note', async () => {
    putPod('a', 'Succeeded', false);
    expect(await run('logs deployment/web')).toEqual({ exitCode: 0, stdout: 'a\n', stderr: '' });
  });

  it.each([
    [
      'deployment/nosuch',
      'error: error from server (NotFound): deployments.apps "nosuch" not found in namespace "default"',
    ],
    ['deployment/web --pod-running-timeout=10ms', 'error: timed out waiting for the condition'],
    ['cm/settings', 'error: cannot get the logs from *v1.ConfigMap: selector for *v1.ConfigMap not implemented'],
    ['svc/none', "error: invalid service 'none': Service is defined without a selector"],
  ])('are refused: %s', async (words, stderr) => {
    const metadata = { namespace: 'default' };
    putObjects(storeOf(workshop), [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: 'settings' } },
      { apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, name: 'none' }, spec: {} },
    ]);
    expect(await run(`logs ${words}`)).toEqual(failed(`${stderr}\n`));
  });
});

it('exec and port-forward do not wait for a workload whose Pods have ended', async () => {
  putWorkloads(workshop, 'service-with-endpoints');
  putPod('a', 'Failed', false);
  const { exitCode, stderr } = await run('exec deployment/web -- true');
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('cannot exec into a container in a completed pod; current phase is Failed'),
  ]);
  const forwarded = await run('port-forward deployment/web :80');
  expect(forwarded).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Current status=Failed') });
});

it('exec, logs -f and port-forward reach a Pod of a running workload', async () => {
  const manifest = workshop.file(
    'web.yaml',
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'main', image: 'x', command: ['sh', '-c', 'echo up; exec sleep 1000'] }] },
        },
      },
    }),
  );
  const apply = workshop.begin(['apply', manifest]);
  await apply.until(({ stdout }) => stdout.match(/│ .* up$/gm)?.length === 2 && stdout.includes('2/2 ready'));
  expect((await workshop.run(['rollout', 'status', 'deployment/web', '--timeout=30s'])).exitCode).toBe(0);
  expect(await workshop.run(['exec', 'deployment/web', '--', 'echo', 'hello'])).toMatchObject({ stdout: 'hello\n' });
  const logs = await workshop.run(['logs', 'deployment/web']);
  expect(logs).toMatchObject({ exitCode: 0, stdout: 'up\n' });
  expect(logs.stderr).toMatch(/^Found 2 pods, using pod\/web-\w+-\w+\n$/);
  const following = workshop.start(['logs', '-f', 'deployment/web']);
  await following.until(({ stdout, stderr }) => stdout === 'up\n' && stderr.endsWith('\n'));
  const [, followed = ''] = /using pod\/(\S+)/.exec(following.stderr) ?? [];
  expect((await workshop.run(['delete', 'pod', followed, '--grace-period=0', '--force'])).exitCode).toBe(0);
  await following.until(({ stdout, stderr }) => stdout === 'up\nup\n' && /was replaced by pod\/web-/.test(stderr));
  following.signal('SIGTERM');
  await following.ended;
  const forward = workshop.start(['port-forward', 'deployment/web', ':80']);
  await forward.until(({ stdout }) => stdout.includes('Forwarding from'));
  apply.signal('SIGINT');
  expect((await forward.ended).stderr).toContain('error: lost connection to pod\n');
  await apply.ended;
});
