import { describe, expect, it } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

describe('apply --until', () => {
  it.each(['ready', 'Ready', 'Ready=True', 'ContainersReady'])('%s ends the Pod once it got there', async (goal) => {
    const manifest = workshop.pod('server', { containers: [{ name: 'main', command: stage.command('main') }] });
    const { exitCode, stdout } = await workshop.run(['apply', manifest, '--until', goal, '-o', 'json']);
    expect(exitCode).toBe(0);
    const wasReady = podsIn(watchLines(stdout)).some(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    expect(wasReady).toBe(true);
    expect(workshop.processes()).toEqual([]);
  });

  it('succeeded waits for the end', async () => {
    const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'main', command: ['true'] }] };
    expect(await workshop.run(['apply', workshop.pod('job', spec), '--until', 'succeeded'])).toMatchObject({
      exitCode: 0,
    });
  });

  it('ends as soon as the goal cannot be met any more, with the first cause', async () => {
    const manifest = workshop.pod('hopeless', {
      restartPolicy: 'Never',
      initContainers: [{ name: 'prepare', image: 'busybox', command: ['sh', '-c', 'echo no database; exit 3'] }],
      containers: [{ name: 'main', command: ['true'] }],
    });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--until', 'ready', '--timeout', '10s']);
    expect(exitCode).toBe(1);
    for (const part of ['init container prepare', 'code 3', 'no database']) expect(stderr).toContain(part);
  });

  it('names the container that keeps a Pod from its goal when the time is up', async () => {
    const manifest = workshop.pod('crashing', {
      containers: [{ name: 'crasher', command: ['sh', '-c', 'echo cannot start; exit 4'] }],
    });
    const flags = ['--until', 'succeeded', '--timeout', '1500ms'];
    const { exitCode, stderr } = await workshop.run(['apply', manifest, ...flags]);
    expect(exitCode).toBe(124);
    for (const part of ['crasher', 'back-off', 'exit code 4']) expect(stderr).toContain(part);
  });

  it('says why nothing goes on, as far as events tell it, when the time is up', async () => {
    const volumes = [{ name: 'settings', configMap: { name: 'missing' } }];
    const manifest = workshop.pod('mounting', { volumes, containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--timeout', '700ms']);
    expect(exitCode).toBe(124);
    expect(stderr).toBe(
      'error: timed out after 700ms\npod/mounting: container main to start\n' +
        '  last warning: FailedMount: MountVolume.SetUp failed for volume "settings" : configmap "missing" not found\n',
    );
  });

  it('refuses a goal that does not exist', async () => {
    const manifest = workshop.pod('job', { containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--until', 'Redy=Maybe']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Redy=Maybe');
  });
});
