import { describe, expect, it, vi } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { goldenPods } from '../print/golden.ts';
import { runHere } from './in-process.ts';
import { GOLDEN_ENV, putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';
import { SystemClock } from '../../src/clock.ts';
import { FastClock } from '../../src/experiments/fast-clock.ts';
import { PATIENT } from '../patience.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => runHere(workshop, ['wait', ...args], { env: GOLDEN_ENV });
const MET = 'pod/web condition met\n';

describe('wait', () => {
  it('ends as soon as the condition comes true', async () => {
    const store = storeOf(workshop);
    const [web] = goldenPods('running-ready') as [StoredPod];
    const conditions = [{ type: 'Ready', status: 'False' as const }];
    const created = store.create('pods', { ...web, status: { ...web.status, conditions } });
    const podrun = workshop.begin(['wait', 'pod', 'web', '--for=create', '--for=condition=Ready', '--timeout=1h']);
    await podrun.until(({ stdout }) => stdout === MET);
    store.updateStatus('pods', { ...created, status: web.status });
    expect(await podrun.ended).toEqual({ exitCode: 0, stdout: MET + MET, stderr: '' });
  });

  it('waits for the creation and for the deletion of a Pod', async () => {
    const store = storeOf(workshop);
    const coming = workshop.begin(['wait', 'pod', '-l', 'app=web', '--for=create', '--timeout=1h']);
    putStates(store, ['running-ready']);
    expect(await coming.ended).toEqual({ exitCode: 0, stdout: MET, stderr: '' });
    const going = workshop.begin(['wait', 'pod/web', '--for=create', '--for=delete', '--timeout=1h', '-o', 'name']);
    await going.until(({ stdout }) => stdout === 'pod/web\n');
    store.delete('pods', 'default', 'web');
    expect(await going.ended).toEqual({ exitCode: 0, stdout: 'pod/web\npod/web\n', stderr: '' });
  });

  it('succeeds silently for deleted objects', async () => {
    const silence = { exitCode: 0, stdout: '', stderr: '' };
    expect(await run('pod/nope', '--for=delete')).toEqual(silence);
    expect(await run('pods', '--all', '--for=delete')).toEqual(silence);
  });

  it('names the Pods of several that met the condition in time', async () => {
    putStates(storeOf(workshop), ['running-ready', 'list-of-three']);
    const { exitCode, stdout, stderr } = await run('pods', '--all', '--for=condition=Ready', '--timeout=0');
    expect(exitCode).toBe(1);
    expect(stdout).toBe('pod/api condition met\npod/web condition met\n');
    expect(stderr).toBe('condition not met for pods/batch-long-name-here\ncondition not met for pods/zed\n');
  });

  it.each([
    { args: ['pod', '--for=delete'], why: 'error: resource(s) were provided, but no name was specified' },
    {
      args: ['pod/web', '--for=delete', '--timeout=5'],
      why: 'error: invalid argument "5" for "--timeout" flag: time: missing unit',
    },
    { args: ['pod/web'], why: 'error: unrecognized condition: ""' },
    {
      args: ['pods', '--all', '-l', 'a=b', '--for=delete'],
      why: "setting 'all' parameter but found a non empty selector",
    },
  ])('reports the mistake in $args', async ({ args, why }) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it('refuses a path to several values', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    expect(await run('pod/web', '--for=jsonpath={.status.conditions[*].type}=Ready')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: given jsonpath expression matches more than one value\n',
    });
  });
});

describe('wait that cannot be met', () => {
  const TIMED_OUT = 'error: timed out waiting for the condition on pods/';

  it("ends long before the timeout, with kubectl's text and the reason", async () => {
    const store = storeOf(workshop);
    putStates(store, ['error', 'completed']);
    const failed = await run('pod/failed', '--for=condition=Ready', '--timeout=1h');
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    const [first, second] = failed.stderr.split('\n');
    expect(first).toBe(`${TIMED_OUT}failed`);
    expect(second).toMatch(/^pod\/failed can never become Ready: container \S+ exited with code 2/);
    const done = await run('pod/done', "--for=jsonpath={.status.phase}='Running'", '--timeout=1h');
    expect(done).toMatchObject({ exitCode: 1, stdout: '' });
    expect(done.stderr).toBe(
      `${TIMED_OUT}done\npod/done can never become {.status.phase}='Running': ` +
        'it has Succeeded: its containers have ended, and are not started again\n',
    );
  });

  it('ends when one of several Pods can no longer meet the condition, as after the timeout', async () => {
    putStates(storeOf(workshop), ['running-not-ready', 'error']);
    const { exitCode, stdout, stderr } = await run('pods', '--all', '--for=condition=Ready', '--timeout=1h');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    const [first, second, third] = stderr.split('\n');
    expect([first, second]).toEqual(
      ['failed', 'slow'].map((name) => `timed out waiting for the condition on pods/${name}`),
    );
    expect(third).toMatch(/^pod\/failed can never become Ready/);
  });

  it('ends when the Pod is deleted meanwhile', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-not-ready']);
    const podrun = workshop.start(['wait', 'pod/slow', '--for=condition=Ready', '--timeout=1h'], GOLDEN_ENV);
    await podrun.untilWatching();
    store.delete('pods', 'default', 'slow');
    expect(await podrun.ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${TIMED_OUT}slow\npod/slow was deleted meanwhile\n`,
    });
  });

  it('continues with a Pod that replaces one that has ended', async () => {
    const store = storeOf(workshop);
    const [web] = goldenPods('running-ready') as [StoredPod];
    const ended = store.create('pods', { ...web, status: { phase: 'Succeeded' } });
    // It waits a second for the new Pod, which is most of a minute on this clock.
    const clock = new FastClock(new SystemClock(), 0.02);
    let shown = '';
    const args = ['wait', 'pod/web', '--for=condition=Ready', '--timeout=1h', '--verbose'];
    const waits = runHere(workshop, args, { env: GOLDEN_ENV, clock, onOutput: (text) => void (shown += text) });
    await vi.waitUntil(() => shown.includes('waiting for condition=Ready'), PATIENT);
    store.delete('pods', ended.metadata.namespace, ended.metadata.name);
    store.create('pods', web);
    expect(await waits).toMatchObject({ exitCode: 0, stdout: MET });
  });

  it('names a condition that no part of the Pod sets', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    const { stderr } = await run('pod/web', '--for=condition=example.com/lb', '--timeout=50ms');
    const phrase = 'pod/web: condition example.com/lb to be True: it is not set';
    expect(stderr.split('\n').slice(0, 2)).toEqual([`${TIMED_OUT}web`, phrase]);
  });

  it('reports an image without a program, and continues to wait', async () => {
    putStates(storeOf(workshop), ['image-pull-backoff']);
    const { stderr } = await run('pods', '--all', '--for=condition=Ready', '--timeout=1500ms');
    expect(stderr).toMatch(/\npod\/\S+: container \S+ to start: ImagePullBackOff/);
    expect(stderr).toContain('podrun apply --image');
  });
});
