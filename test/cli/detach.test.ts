import { describe, expect, it, vi } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { stageForEach } from '../puppet/stage.ts';
import { storeOf } from './prepared-store.ts';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';
import { PATIENT } from '../patience.ts';

const workshop = workshopForEach({ leavesPods: true });
const stage = stageForEach();

const web = () => storeOf(workshop).get<StoredPod>('pods', 'default', 'web');
const manifest = (spec: object = {}): string =>
  workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main'), ...spec }] });

describe('apply --detach', () => {
  it("leaves the Pod running, prints kubectl's text, and its agent ends with the Pod", async () => {
    const file = manifest({ readinessProbe: { exec: { command: ['true'] } } });
    expect(await workshop.run(['apply', '-d', file])).toEqual({ exitCode: 0, stdout: 'pod/web created\n', stderr: '' });
    const main = await stage.puppet('main');
    main.print('still here\n');
    expect(await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m'])).toMatchObject({
      exitCode: 0,
    });
    await expect.poll(async () => (await workshop.run(['logs', 'web'])).stdout, PATIENT).toBe('still here\n');
    expect(workshop.backgroundProcesses()).toHaveLength(2);

    expect(await workshop.run(['delete', 'pod', 'web'])).toMatchObject({ exitCode: 0 });
    await main.gone;
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(workshop.processes()).toEqual([]);
  });

  it('keeps ended Pods in the store after its agent has ended', async () => {
    const file = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: stage.command('main') }],
    });
    await workshop.run(['apply', '--detach', file]);
    (await stage.puppet('main')).exit(0);
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(web()?.status.phase).toBe('Succeeded');
  });

  it('with --wait returns when the Pod is Ready', async () => {
    const file = manifest({ readinessProbe: { exec: { command: ['test', '-e', 'ready'] }, periodSeconds: 1 } });
    const apply = workshop.start(['apply', '-d', '--wait', file]);
    await apply.until(({ stdout }) => stdout === 'pod/web created\n');
    await stage.puppet('main');
    await workshop.run(['wait', 'pod/web', '--for=jsonpath={.status.phase}=Running', '--timeout=3m']);
    workshop.file('ready', '');
    // A Pod that is late on a busy machine has lines about that on stderr: see waiting-line.test.ts.
    expect(await apply.ended).toMatchObject({ exitCode: 0, stdout: 'pod/web created\npod/web ready\n' });
    expect(web()?.status.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  it('stops waiting after --timeout with the reason, and the Pod keeps running', async () => {
    const file = manifest({ readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 } });
    const ended = await workshop.run(['apply', '-d', '--timeout', '300ms', file]);
    expect(ended).toMatchObject({ exitCode: 124, stdout: 'pod/web created\n' });
    expect(ended.stderr).toMatch(/^error: timed out after 300ms\npod\/web: /);
    expect(web()?.status.phase).not.toBe('Unknown');
    (await stage.puppet('main')).exit(0);
  });

  it('with -o json prints what was created', async () => {
    const { stdout } = await workshop.run(['apply', '-d', '-o', 'json', manifest()]);
    const [pod] = podsIn(watchLines(stdout));
    expect(pod).toMatchObject({ metadata: { name: 'web', uid: web()?.metadata.uid }, status: { phase: 'Pending' } });
  });

  it('changes Pods in the background, and warns of Pods in the foreground', async () => {
    const file = manifest();
    await workshop.run(['apply', '-d', file]);
    expect(await workshop.run(['apply', '-d', file])).toEqual({
      exitCode: 0,
      stdout: 'pod/web unchanged\n',
      stderr: '',
    });
    await workshop.run(['delete', 'pod', 'web', '--grace-period=1']);
    const apply = workshop.start(['apply', file]);
    await vi.waitUntil(() => web()?.status.phase === 'Running', PATIENT);
    const again = await workshop.run(['apply', '-d', file]);
    expect(again).toEqual({
      exitCode: 0,
      stdout: 'pod/web unchanged\n',
      stderr: `Warning: pod/web runs in the foreground of process ${apply.pid} and ends with that process\n`,
    });
  });

  it('runs a container with the environment and the folder of the caller', async () => {
    await workshop.run(['apply', '-d', manifest()], { LANG: 'xx_YY', SECRET_OF_MINE: 'x' });
    const main = await stage.puppet('main');
    expect(main.env['LANG']).toBe('xx_YY');
    expect(main.env['SECRET_OF_MINE']).toBeUndefined();
    expect(main.cwd).toBe(workshop.folder);
  });
});

it('--wait needs --detach', async () => {
  const { exitCode, stderr } = await workshop.run(['apply', '--wait', manifest()]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--wait needs --detach');
});
