import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { parseTime } from '../../src/api/base/time.ts';
import { type Puppet, stageForEach } from '../puppet/stage.ts';
import { storeOf } from './prepared-store.ts';
import { type Running, podsIn, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

/**
 * Runs a Pod `web`, in a process of its own if the test kills it. The program is a puppet, which does not end by
 * itself.
 */
async function running({ isKilled = false } = {}): Promise<{ apply: Running; main: Puppet }> {
  const spec = { terminationGracePeriodSeconds: 60, containers: [{ name: 'main', command: stage.command('main') }] };
  const args = ['apply', workshop.pod('web', spec), '-o', 'json'];
  const apply = isKilled ? workshop.start(args) : workshop.begin(args);
  const main = await stage.puppet('main');
  await apply.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
  return { apply, main };
}

const web = () => storeOf(workshop).get<StoredPod>('pods', 'default', 'web');
const DELETED = 'pod "web" deleted from default namespace\n';

describe('delete of a Pod that another podrun runs', () => {
  it('terminates the Pod and waits until it is removed', async () => {
    const { apply, main } = await running();
    await main.catch('SIGTERM');
    const generation = web()?.metadata.generation ?? 0;
    const beganMs = Date.now();
    const deleting = workshop.begin(['delete', 'pod', 'web']);
    expect(await main.received()).toBe('SIGTERM');
    await deleting.until(({ stdout }) => stdout === DELETED);
    expect(web()?.metadata).toMatchObject({ deletionGracePeriodSeconds: 60, generation: generation + 1 });
    const deadline = parseTime(web()?.metadata.deletionTimestamp ?? '');
    expect(deadline - 60_000).toBeGreaterThan(beganMs - 1000);
    expect(deadline - 60_000).toBeLessThan(Date.now() + 1000);
    main.exit(0);
    expect(await deleting.ended).toEqual({ exitCode: 0, stdout: DELETED, stderr: '' });
    expect(web()).toBeUndefined();
    expect(await apply.ended).toMatchObject({ exitCode: 0 });
    expect(apply.lines.at(-1)).toMatchObject({ type: 'DELETED', object: { status: { phase: 'Succeeded' } } });
  });

  it('with --wait=false does not wait, and stops waiting after --timeout', async () => {
    const { apply, main } = await running();
    await main.catch('SIGTERM');
    expect(await workshop.run(['delete', 'pod', 'web', '--wait=false'])).toMatchObject({
      exitCode: 0,
      stdout: DELETED,
    });
    expect(await workshop.run(['delete', 'pod/web', '--timeout=50ms'])).toEqual({
      exitCode: 1,
      stdout: DELETED,
      stderr: 'error: timed out waiting for the condition on pods/web\n',
    });
    main.exit(0);
    await apply.ended;
  });

  it('repeated can only shorten the grace period', async () => {
    const { apply, main } = await running();
    await main.catch('SIGTERM');
    const deadline = () => parseTime(web()?.metadata.deletionTimestamp ?? '');
    await workshop.run(['delete', 'pod', 'web', '--wait=false', '--grace-period=40']);
    const before = { deadline: deadline(), generation: web()?.metadata.generation };
    await workshop.run(['delete', 'pod', 'web', '--wait=false']);
    expect(deadline()).toBe(before.deadline);
    await workshop.run(['delete', 'pod', 'web', '--wait=false', '--now']);
    // A second is soon over, and the Pod with it: podrun has shown it.
    const shortened = () => podsIn(apply.lines).find(({ metadata }) => metadata?.deletionGracePeriodSeconds === 1);
    await apply.until(() => shortened() !== undefined);
    const { deletionTimestamp, generation } = shortened()?.metadata ?? {};
    expect(parseTime(deletionTimestamp ?? '')).toBe(before.deadline - 39_000);
    expect(generation).toBe(before.generation);
    main.exit(0);
    await apply.ended;
  });

  it('with --force removes the record at once; processes get SIGTERM and two seconds', async () => {
    const { apply, main } = await running();
    await main.catch('SIGTERM');
    expect(await workshop.run(['delete', 'pod', 'web', '--force'])).toMatchObject({
      exitCode: 0,
      stdout: 'pod "web" force deleted from default namespace\n',
    });
    expect(web()).toBeUndefined();
    expect(await main.received()).toBe('SIGTERM');
    await main.gone;
    const { exitCode, stderr } = await apply.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toBe('error: pod "web" failed: it was deleted by force, which kills its containers at once\n');
    expect(web()).toBeUndefined();
    expect(workshop.processes()).toEqual([]);
  });

  it('with --force separates the next Pod of that name from the ending one', async () => {
    const preStop = { exec: { command: ['sh', '-c', 'sleep 0.7; echo of the old one'] } };
    // It prints until the kill, two seconds after the deletion: how far it comes in that time depends on the machine.
    const script = 'trap "" TERM; test -e old || while :; do echo of the old one; sleep 0.05; done; exec sleep 1000';
    const file = workshop.pod('web', {
      containers: [{ name: 'main', command: ['sh', '-c', script], lifecycle: { preStop } }],
    });
    const ready = ['wait', 'pod/web', '--for=create', '--for=condition=Ready', '--timeout=3m'];
    const first = workshop.start(['apply', file]);
    await workshop.run(ready);
    await first.until(({ stdout }) => stdout.includes('of the old one'));
    workshop.file('old', '');
    await workshop.run(['delete', 'pod', 'web', '--force']);
    const second = workshop.start(['apply', file]);
    await workshop.run(ready);
    await first.ended;
    expect((await workshop.run(['logs', 'web', '--hooks'])).stdout).toBe('');
    expect((await workshop.run(['logs', 'web'])).stdout).toBe('');
    await workshop.run(['delete', 'pod', 'web', '--force']);
    await second.ended;
  });

  it('of a killed podrun ends the remaining processes', async () => {
    const { apply, main } = await running({ isKilled: true });
    apply.signal('SIGKILL');
    await apply.ended;
    expect(await workshop.run(['delete', 'pod', 'web'])).toEqual({ exitCode: 0, stdout: DELETED, stderr: '' });
    await main.gone;
    expect(web()).toBeUndefined();
    expect(workshop.processes()).toEqual([]);
  });

  it('of a podrun that is killed meanwhile ends the remaining processes', async () => {
    const { apply, main } = await running({ isKilled: true });
    await main.catch('SIGTERM');
    const deleting = workshop.begin(['delete', 'pod', 'web']);
    await main.received();
    apply.signal('SIGKILL');
    expect(await deleting.ended).toEqual({ exitCode: 0, stdout: DELETED, stderr: '' });
    await main.gone;
    expect(web()).toBeUndefined();
    expect(workshop.processes()).toEqual([]);
  });

  it('is not lost among the changes of the Pod', async () => {
    const containers = ['a', 'b', 'c'].map((name) => ({ name, command: ['true'] }));
    const manifest = workshop.pod('web', { terminationGracePeriodSeconds: 1, containers });
    const hurry = ['--backoff-initial=1ms', '--backoff-max=1ms'];
    for (let round = 0; round < 3; round++) {
      const apply = workshop.begin(['apply', manifest, '-o', 'json', ...hurry]);
      await apply.until(({ lines }) => podsIn(lines).length > 20 + round);
      expect(await workshop.run(['delete', 'pod', 'web', '--timeout=3m'])).toMatchObject({ exitCode: 0, stderr: '' });
      await apply.ended;
    }
  });
});
