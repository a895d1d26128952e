import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { stageForEach } from '../puppet/stage.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';
import { PATIENT } from '../patience.ts';

const workshop = workshopForEach({ leavesPods: true });
const stage = stageForEach();

const web = () => storeOf(workshop).get<StoredPod>('pods', 'default', 'web');
const mainStatus = () => web()?.status.containerStatuses?.[0];
const events = () => storeOf(workshop).list<StoredEvent>('events', { namespace: 'default' });
const main = () => ({ name: 'main', command: stage.command('main') });

async function detached(spec: Partial<PodSpec>): Promise<void> {
  const file = workshop.pod('web', { terminationGracePeriodSeconds: 60, containers: [main()], ...spec });
  expect(await workshop.run(['apply', '-d', file])).toMatchObject({ exitCode: 0, stderr: '' });
}

function agentPid(): number {
  const folder = path.join(workshop.stateDir, '.agents');
  const [id = ''] = readdirSync(folder);
  return (JSON.parse(readFileSync(path.join(folder, id, 'process.json'), 'utf8')) as { pid: number }).pid;
}

/** The exits that the keeper has recorded for the next agent. */
function exitsOnRecord(): string {
  const folder = path.join(workshop.stateDir, '.agents');
  const [id = ''] = readdirSync(folder);
  const file = path.join(folder, id, 'exits.ndjson');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Kills processes. Resolves when all their threads have ended: until then podrun takes them for living. */
async function kill(...pids: number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => pids.every((pid) => startTimeOf(pid) === undefined), PATIENT);
}

const keeperPids = (): number[] => workshop.backgroundProcesses().filter((pid) => pid !== agentPid());
const running = () => vi.waitUntil(() => web()?.status.phase === 'Running', PATIENT);
const phase = (wanted: string) =>
  workshop.run(['wait', 'pod/web', `--for=jsonpath={.status.phase}=${wanted}`, '--timeout=3m']);

describe('a background agent that was killed', () => {
  it('is started again by the next command, and the container keeps running', async () => {
    await detached({ containers: [{ ...main(), readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 } }] });
    const puppet = await stage.puppet('main');
    await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m']);
    const before = web()?.status;
    const former = agentPid();
    puppet.print('before\n');
    await kill(former);
    puppet.print('between\n');
    const get = await workshop.run(['get', 'pod', 'web']);
    expect(get.stdout).toMatch(/web +1\/1 +Running +0 /);
    expect(get.stderr).toBe(`pod/web: the background agent (process ${former}) had ended; podrun started another\n`);
    puppet.print('after\n');
    await vi.waitUntil(async () => (await workshop.run(['logs', 'web'])).stdout.includes('after'), PATIENT);
    expect((await workshop.run(['logs', 'web'])).stdout).toBe('before\nbetween\nafter\n');
    expect(web()?.status).toEqual(before);
    expect(agentPid()).not.toBe(former);
    expect((await workshop.run(['get', 'pod', 'web'])).stderr).toBe('');

    expect(await workshop.run(['delete', 'pod', 'web', '--grace-period=1'])).toMatchObject({ exitCode: 0 });
    await puppet.gone;
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(workshop.processes()).toEqual([]);
  });

  it('leaves no container of a Pod that was removed by force before it could look', async () => {
    await detached({});
    const puppet = await stage.puppet('main');
    await running();
    const former = agentPid();
    process.kill(former, 'SIGSTOP');
    await workshop.run(['delete', 'pod', 'web', '--force', '--grace-period=0']);
    expect(web()).toBeUndefined();
    await kill(former);
    expect((await workshop.run(['get', 'pods'])).exitCode).toBe(0);
    await puppet.gone;
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(workshop.processes()).toEqual([]);
  });

  it.each([
    { when: 'after the next one was there', isWatched: true, isKept: true },
    { when: 'while no agent ran', isWatched: false, isKept: true },
    { when: 'so long ago that its keeper is gone, too', isWatched: false, isKept: false },
  ])('does not lose the exit code of a container that ends $when', async ({ isWatched, isKept }) => {
    await detached({ restartPolicy: 'Never' });
    const puppet = await stage.puppet('main');
    await running();
    await kill(agentPid());
    if (isWatched) await workshop.run(['get', 'pods']);
    puppet.print('last words\n');
    puppet.exit(7);
    await puppet.gone;
    if (!isKept) await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    // The keeper records the time of the exit, which is not that of the next agent.
    if (!isWatched) await vi.waitUntil(() => exitsOnRecord() !== '', PATIENT);
    const recordedMs = Date.now();
    expect(await phase('Failed')).toMatchObject({ exitCode: 0 });
    expect(mainStatus()).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 7, reason: 'Error' } } });
    const finishedMs = Date.parse(mainStatus()?.state?.terminated?.finishedAt ?? '');
    expect(isWatched || finishedMs <= recordedMs).toBe(true);
    expect((await workshop.run(['logs', 'web'])).stdout).toBe('last words\n');
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
  });

  it('leaves restarts to its successor, which keeps the count', async () => {
    await detached({});
    (await stage.puppet('main')).exit(3);
    const second = await stage.puppet('main');
    await vi.waitUntil(() => mainStatus()?.restartCount === 1 && mainStatus()?.state?.running !== undefined, PATIENT);
    await kill(agentPid());
    second.exit(4);
    await second.gone;
    await workshop.run(['get', 'pods']);
    const third = await stage.puppet('main');
    await vi.waitUntil(() => mainStatus()?.restartCount === 2 && mainStatus()?.state?.running !== undefined, PATIENT);
    expect(mainStatus()?.lastState?.terminated?.exitCode).toBe(4);
    third.print('third\n');
    await vi.waitUntil(async () => (await workshop.run(['logs', 'web'])).stdout === 'third\n', PATIENT);
  });

  it('has a successor that repeats no init container and no postStart hook', async () => {
    const note = (what: string) => ['sh', '-c', `echo ${what} >> ${workshop.folder}/notes`];
    await detached({
      initContainers: [{ name: 'init', image: 'busybox', command: note('init') }],
      containers: [
        {
          ...main(),
          lifecycle: {
            postStart: { exec: { command: note('postStart') } },
            preStop: { exec: { command: note('preStop') } },
          },
          readinessProbe: { exec: { command: ['test', '-e', 'ready'] }, periodSeconds: 1 },
        },
      ],
    });
    const puppet = await stage.puppet('main');
    await running();
    await kill(agentPid());
    workshop.file('ready', '');
    expect(await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m'])).toMatchObject({
      exitCode: 0,
    });
    expect(web()?.status.initContainerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
    await workshop.run(['delete', 'pod', 'web', '--grace-period=5']);
    await puppet.gone;
    expect(readFileSync(path.join(workshop.folder, 'notes'), 'utf8')).toBe('init\npostStart\npreStop\n');
  });

  it('leaves a container Ready until a probe of its successor fails', async () => {
    const readinessProbe = { exec: { command: ['test', '-e', 'ready'] }, periodSeconds: 5, failureThreshold: 2 };
    workshop.file('ready', '');
    await detached({ containers: [{ ...main(), readinessProbe }] });
    await stage.puppet('main');
    await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m']);
    await kill(agentPid());
    rmSync(path.join(workshop.folder, 'ready'));
    expect((await workshop.run(['get', 'pods'])).stdout).toMatch(/web +1\/1 +Running/);
    await vi.waitUntil(() => mainStatus()?.ready === false, PATIENT);
    workshop.file('ready', '');
    await vi.waitUntil(() => mainStatus()?.ready === true, PATIENT);
  });

  it('has a successor that continues a deletion', async () => {
    await detached({});
    const puppet = await stage.puppet('main');
    await running();
    await puppet.catch('SIGTERM');
    await workshop.run(['delete', 'pod', 'web', '--wait=false']);
    expect(await puppet.received()).toBe('SIGTERM');
    await kill(agentPid());
    expect((await workshop.run(['get', 'pods'])).stdout).toMatch(/web +1\/1 +Terminating/);
    expect(await puppet.received()).toBe('SIGTERM');
    puppet.exit(0);
    await vi.waitUntil(() => web() === undefined, PATIENT);
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
  });

  it('has a successor that starts the grace period again, as a restarted kubelet does', async () => {
    await detached({});
    const puppet = await stage.puppet('main');
    await running();
    await puppet.catch('SIGTERM');
    await workshop.run(['delete', 'pod', 'web', '--wait=false', '--grace-period=15']);
    expect(await puppet.received()).toBe('SIGTERM');
    await kill(agentPid());
    const dueMs = Date.parse(web()?.metadata.deletionTimestamp ?? '');
    await vi.waitUntil(() => Date.now() > dueMs, PATIENT);
    await workshop.run(['get', 'pods']);
    expect(await puppet.received()).toBe('SIGTERM');
    const toldMs = Date.now();
    await puppet.gone;
    // Fifteen seconds, less the time until this test has heard of the signal. Without a new grace period: none.
    expect(Date.now() - toldMs).toBeGreaterThan(1500);
  });

  it('has one successor for any number of commands at once', async () => {
    await detached({});
    await stage.puppet('main');
    await running();
    await kill(agentPid());
    const gets = await Promise.all(Array.from({ length: 8 }, () => workshop.start(['get', 'pods']).ended));
    for (const { stdout } of gets) expect(stdout).toMatch(/web +1\/1 +Running/);
    expect(gets.filter(({ stderr }) => stderr !== '')).toHaveLength(1);
    expect(workshop.backgroundProcesses()).toHaveLength(2);
  });

  it('has a successor that runs commands in the container, and finds its volumes', async () => {
    const container = {
      ...main(),
      env: [{ name: 'with.dot', value: 'kept' }],
      volumeMounts: [{ name: 'data', mountPath: '/nowhere/data' }],
    };
    await detached({ containers: [container], volumes: [{ name: 'data', emptyDir: {} }] });
    await stage.puppet('main');
    await running();
    await kill(agentPid());
    workshop.file('one', 'hello\n');
    await workshop.run(['get', 'pods']);
    expect(await workshop.run(['cp', 'one', 'web:/nowhere/data/two'])).toMatchObject({ exitCode: 0, stderr: '' });
    const script = 'env; cat $PODRUN_VOLUME_DATA/two; exit 5';
    const exec = await workshop.run(['exec', 'web', '--', 'sh', '-c', script]);
    expect(exec.exitCode).toBe(5);
    expect(exec.stdout).toContain(`WORKSHOP=${workshop.folder}\n`);
    expect(exec.stdout).toContain('hello\n');
  });
});

describe('when the keeper of the containers was killed', () => {
  it('they end, and the agent starts them again with another keeper', async () => {
    await detached({});
    const puppet = await stage.puppet('main');
    await running();
    await kill(...keeperPids());
    await puppet.gone;
    await stage.puppet('main');
    await vi.waitUntil(() => mainStatus()?.restartCount === 1 && mainStatus()?.state?.running !== undefined, PATIENT);
    expect(mainStatus()?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(workshop.backgroundProcesses()).toHaveLength(2);
  });

  it('and the agent too, the next command starts them again in a new environment', async () => {
    await detached({});
    const puppet = await stage.puppet('main');
    await running();
    await kill(agentPid(), ...keeperPids());
    await puppet.gone;
    await workshop.run(['get', 'pods']);
    await stage.puppet('main');
    await vi.waitUntil(() => mainStatus()?.restartCount === 1 && mainStatus()?.state?.running !== undefined, PATIENT);
    expect(mainStatus()?.lastState?.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' });
    expect(events().map(({ reason }) => reason)).toContain('SandboxChanged');
  });

  it('and the agent too while main is in back-off, the Pod begins again with its init containers', async () => {
    const init = { name: 'setup', image: 'busybox', command: ['true'] };
    await detached({ initContainers: [init], containers: [{ ...main(), command: ['false'] }] });
    await vi.waitUntil(() => mainStatus()?.state?.waiting?.reason === 'CrashLoopBackOff', PATIENT);
    await kill(agentPid(), ...keeperPids());
    await workshop.run(['get', 'pods']);
    await vi.waitUntil(() => events().some(({ reason }) => reason === 'SandboxChanged'), PATIENT);
    await expect.poll(() => web()?.status.initContainerStatuses?.[0]?.restartCount, PATIENT).toBe(1);
  });

  it('and the agent too, a Pod with restartPolicy Never has failed', async () => {
    await detached({ restartPolicy: 'Never' });
    const puppet = await stage.puppet('main');
    await running();
    await kill(agentPid(), ...keeperPids());
    await puppet.gone;
    expect(await phase('Failed')).toMatchObject({ exitCode: 0 });
    expect(mainStatus()).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 255, reason: 'Unknown' } },
    });
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
  });
});
