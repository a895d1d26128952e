import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Workshop, workshopFor } from '../cli/workshop.ts';
import { PATIENT } from '../patience.ts';
import { DOORS } from './doors.ts';

/** Three quarters of the CPUs of this machine: there is room for one such Pod. */
const MOST = `${availableParallelism() * 750}m`;
const SPEC = { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }] };

function pod(name: string, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 0, ...SPEC, ...spec },
  };
}

const requesting = (name: string, cpu: string, more: object = {}): object =>
  pod(name, { containers: [{ ...SPEC.containers[0], resources: { requests: { cpu } } }], ...more });

function deployment(name: string, spec: object): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 0, ...SPEC, ...spec } },
    },
  };
}

/** The words of an `apply` of these objects. */
function apply(workshop: Workshop, objects: readonly object[], ...args: readonly string[]): string[] {
  const name = `${objects.map((object) => (object as { metadata: { name: string } }).metadata.name).join('-')}.yaml`;
  return ['apply', '-f', workshop.file(name, objects.map((object) => stringify(object)).join('---\n')), ...args];
}

const phasesOf = async (workshop: Workshop): Promise<Readonly<Record<string, string>>> => {
  const { stdout } = await workshop.run(['get', 'pods', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: Array<{ metadata: { name: string }; status: { phase: string } }> };
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status.phase]));
};

describe.concurrent('agents of one state folder', () => {
  it('continue when the node rejects the first Pod: it ends nothing but itself', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const objects = [pod('first', { os: { name: 'windows' } }), pod('plain'), deployment('web', {})];
    await workshop.run(apply(workshop, objects, '-d'));
    expect(await workshop.run(['wait', 'pod/plain', '--for=condition=Ready', '--timeout=3m'])).toMatchObject({
      exitCode: 0,
    });
    expect(await workshop.run(['rollout', 'status', 'deployment/web'])).toMatchObject({ exitCode: 0 });
    expect(await phasesOf(workshop)).toMatchObject({ first: 'Failed', plain: 'Running' });
  });

  it('count what the node has to give once: a Pod waits for the Pod of another agent', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const all = ['one', 'two', 'three'];
    await Promise.all(all.map((name) => workshop.run(apply(workshop, [requesting(name, MOST)], '-d'))));
    const sorted = async (): Promise<string[]> => Object.values(await phasesOf(workshop)).toSorted();
    await context.expect.poll(sorted, PATIENT).toEqual(['Pending', 'Pending', 'Running']);
    const { stdout: events } = await workshop.run(['events']);
    expect(events).toMatch(
      /NoRoomOnNode .* of which other Pods request \w+, and this Pod requests \w+; podrun apply --over/,
    );
    const phases = await phasesOf(workshop);
    await workshop.run(['delete', 'pod', all.find((name) => phases[name] === 'Running') ?? '']);
    await context.expect.poll(sorted, PATIENT).toEqual(['Pending', 'Running']);
  });

  it.for(['apply', 'detach', 'library'] as const)('are waited for by a goal: %s', async (door, context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    await workshop.run(apply(workshop, [requesting('first', MOST)], '-d', '--wait'));
    const second = DOORS[door](workshop, {
      objects: [requesting('second', MOST)],
      until: ['ready'],
    });
    const events = async (): Promise<string> => (await workshop.run(['events'])).stdout;
    await context.expect.poll(events, PATIENT).toMatch(/NoRoomOnNode .*pod\/second/i);
    await workshop.run(['delete', 'pod', 'first']);
    expect(await second).toMatchObject({ exitCode: 0 });
  });

  it('make room for a Pod of higher priority, and keep it free', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };
    await workshop.run(apply(workshop, [high]));
    const low = deployment('low', (requesting('x', MOST) as { spec: object }).spec);
    await workshop.run(apply(workshop, [low], '-d', '--wait'));
    const urgent = apply(workshop, [requesting('urgent', MOST, { priorityClassName: 'high' })], '--until', 'ready');
    expect(await workshop.run(urgent)).toMatchObject({ exitCode: 0 });
  });

  it('start a Pod that requests more than the node has with --overcommit', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const [file, more] = [requesting('big', `${availableParallelism() * 2}`), ['--until', 'ready']] as const;
    const refused = await workshop.run(apply(workshop, [file], ...more));
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/has \d+ CPUs?, and this Pod requests \d+: run it all the same: .*--overcommit/),
    });
    expect((await workshop.run(['advise', 'big'])).stdout).toContain('--overcommit');
    expect(await workshop.run(apply(workshop, [file], ...more, '--overcommit'))).toMatchObject({ exitCode: 0 });
    const { stdout } = await workshop.run([
      'get',
      'pod',
      'big',
      '-o',
      'jsonpath={.spec.containers[0].resources.requests.cpu}',
    ]);
    expect(stdout).toBe(`${availableParallelism() * 2}`);
  });
});
