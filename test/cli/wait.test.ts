import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/objects.ts';
import { goldenPods } from '../print/golden.ts';
import { GOLDEN_ENV, putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => workshop.run(['wait', ...args], GOLDEN_ENV);
const MET = 'pod/web condition met\n';

describe('wait', () => {
  it('ends as soon as the condition comes true', async () => {
    const store = storeOf(workshop);
    const [web] = goldenPods('running-ready') as [StoredPod];
    const conditions = [{ type: 'Ready', status: 'False' as const }];
    const created = store.create('pods', { ...web, status: { ...web.status, conditions } });
    const podrun = workshop.start(['wait', 'pod', 'web', '--for=create', '--for=condition=Ready', '--timeout=1h']);
    await podrun.until(({ stdout }) => stdout === MET);
    store.updateStatus('pods', { ...created, status: web.status });
    expect(await podrun.ended).toEqual({ exitCode: 0, stdout: MET + MET, stderr: '' });
  });

  it('waits for a Pod to come, and for it to go', async () => {
    const store = storeOf(workshop);
    const coming = workshop.start(['wait', 'pod', '-l', 'app=web', '--for=create', '--timeout=1h']);
    putStates(store, ['running-ready']);
    expect(await coming.ended).toEqual({ exitCode: 0, stdout: MET, stderr: '' });
    const going = workshop.start(['wait', 'pod/web', '--for=create', '--for=delete', '--timeout=1h', '-o', 'name']);
    await going.until(({ stdout }) => stdout === 'pod/web\n');
    store.delete('pods', 'default', 'web');
    expect(await going.ended).toEqual({ exitCode: 0, stdout: 'pod/web\npod/web\n', stderr: '' });
  });

  it('has nothing to say about what is gone already', async () => {
    const silence = { exitCode: 0, stdout: '', stderr: '' };
    expect(await run('pod/nope', '--for=delete')).toEqual(silence);
    expect(await run('pods', '--all', '--for=delete')).toEqual(silence);
  });

  it('for several Pods tells which were in time', async () => {
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
  ])('says what is wrong with $args', async ({ args, why }) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it('tells of a path to several values at once', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    expect(await run('pod/web', '--for=jsonpath={.status.conditions[*].type}=Ready')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: given jsonpath expression matches more than one value\n',
    });
  });
});
