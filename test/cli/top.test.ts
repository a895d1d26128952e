import { describe, expect, it } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { putStates, storeOf } from './prepared-store.ts';
import { type Ended, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

describe('top pod', () => {
  it('shows the use of a running Pod and of its containers from another process', async () => {
    const busy = ['sh', '-c', 'while :; do :; done'];
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [
        { name: 'idle', command: stage.command('idle') },
        { name: 'busy', command: busy },
      ],
    });
    const apply = workshop.begin(['apply', manifest]);
    await stage.puppet('idle');
    await apply.until(({ stdout }) => /busy +started/.test(stdout));
    const top = (): Promise<Ended> => workshop.run(['top', 'pod', 'web', '--containers', '--no-headers']);
    // The other programs of a busy machine leave it little at times.
    await expect.poll(async () => Number(/busy +(\d+)m/.exec((await top()).stdout)?.[1])).toBeGreaterThan(20);
    const { exitCode, stdout } = await top();
    expect(exitCode).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(2);
    const [spinning = '', waiting = ''] = rows;
    expect(spinning).toMatch(/^web +busy +\d+m +\d+Mi *$/);
    // A puppet is a Node program, which needs more than ten megabytes.
    expect(Number(/(\d+)Mi/.exec(waiting)?.[1])).toBeGreaterThan(10);
    const all = await workshop.run(['top', 'pods', '-A', '--sum']);
    expect(all.stdout).toMatch(/^NAMESPACE +NAME +CPU\(cores\) +MEMORY\(bytes\) +\ndefault +web +\d+m +\d+Mi +\n/);
  });

  it('reports why ended Pods have no metrics', async () => {
    putStates(storeOf(workshop), ['completed']);
    const { exitCode, stderr } = await workshop.run(['top', 'pod'], { PODRUN_NOW: '2126-01-15T12:00:00Z' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: Metrics not available for pod default\/\S+, age: \d+h\d+m[\d.]+s\n$/);
  });

  it.each([
    { args: ['services'], exit: 2, why: 'error: podrun top shows Pods or nodes, not services' },
    { args: ['podz'], exit: 1, why: 'error: the server doesn\'t have a resource type "podz"' },
    { args: ['pod', 'web', '-l', 'a=b'], exit: 2, why: 'name cannot be provided when a selector is specified' },
  ])('reports the mistake in $args', async ({ args, exit, why }) => {
    const { exitCode, stderr } = await workshop.run(['top', ...args]);
    expect({ exitCode, said: stderr.includes(why) }).toEqual({ exitCode: exit, said: true });
  });
});

describe('top node', () => {
  it('shows the use of this machine', async () => {
    const { exitCode, stdout } = await workshop.run(['top', 'node']);
    expect(exitCode).toBe(0);
    const amounts = String.raw`\d+m +\d+% +\d+Mi +\d+% +`;
    expect(stdout).toMatch(
      new RegExp(String.raw`^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\) +\n\S+ +${amounts}\n$`),
    );
  });

  it.each([
    [['nope'], 'Error from server (NotFound): nodes.metrics.k8s.io "nope" not found\n'],
    [['-l', 'a=b'], 'error: metrics not available yet\n'],
  ])('reports that there is no node for %j', async (args, stderr) => {
    expect(await workshop.run(['top', 'node', ...args])).toEqual({ exitCode: 1, stdout: '', stderr });
  });
});
