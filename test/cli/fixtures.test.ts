import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../src/api/generated/types.ts';
import { freePort } from '../free-port.ts';
import { podsIn, watchLines, workshopFor } from './workshop.ts';

interface Case {
  readonly file: string;
  readonly flags?: readonly string[];
  readonly exitCode: number;
  /** The last status of each Pod: its phase, and for each container its end and its restarts. */
  readonly pods: Readonly<Record<string, readonly string[]>>;
}

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const withMap = ['--config', path.join(fixtures, 'images/podrun.yaml')];

const CASES: readonly Case[] = [
  {
    file: 'pipeline.yaml',
    exitCode: 0,
    pods: { pipeline: ['Succeeded', 'fetch Completed 0', 'progress Completed 0', 'work Completed 0'] },
  },
  {
    file: 'crash-loop.yaml',
    // The first restart comes at once, the second one after the timeout, on a machine of any speed.
    flags: ['--timeout', '20s', '--backoff-initial', '2h', '--backoff-max', '2h'],
    exitCode: 124,
    pods: { 'crash-loop': ['Failed', 'crasher Error 1'] },
  },
  {
    file: 'images/public.yaml',
    flags: ['--image', 'perl:*=echo'],
    exitCode: 0,
    pods: { pi: ['Succeeded', 'pi Completed 0'] },
  },
  {
    file: 'retry-until-success.yaml',
    flags: ['--backoff-initial', '500ms'],
    exitCode: 0,
    pods: { 'retry-until-success': ['Succeeded', 'migrate Completed 2'] },
  },
  {
    file: 'sidecars-stop-in-reverse.yaml',
    exitCode: 0,
    pods: { 'sidecars-stop-in-reverse': ['Succeeded', 'logger Completed 0', 'proxy Completed 0', 'main Completed 0'] },
  },
  {
    file: 'init-fails.yaml',
    flags: ['--until', 'ready'],
    exitCode: 1,
    pods: { 'init-fails': ['Failed', 'check-database Error 0', 'main PodInitializing 0'] },
  },
  {
    file: 'graceful-and-stubborn.yaml',
    // Both have set their handlers by then.
    flags: ['--until', 'ready', '--settle', '10s'],
    exitCode: 0,
    pods: { 'graceful-and-stubborn': ['Failed', 'graceful Completed 0', 'stubborn Error 0'] },
  },
  {
    file: 'exit-codes.yaml',
    exitCode: 1,
    // Statuses of regular containers are sorted by name, as the kubelet does.
    pods: {
      'exit-codes': ['Failed', 'fails Error 0', 'killed Error 0', 'missing StartError 0', 'succeeds Completed 0'],
    },
  },
  {
    file: 'two-pods.yaml',
    exitCode: 0,
    pods: { hare: ['Succeeded', 'runner Completed 0'], tortoise: ['Succeeded', 'runner Completed 0'] },
  },
  {
    file: 'images/greeter.yaml',
    flags: withMap,
    exitCode: 0,
    pods: { greeter: ['Succeeded', 'greeter Completed 0'] },
  },
];

const WORKLOADS: ReadonlyArray<readonly [file: string, exitCode: number, ...flags: string[]]> = [
  ['workloads/deployment.yaml', 0, '--until', 'ready'],
  ['workloads/stateful-set.yaml', 0, '--until', 'ready'],
  ['workloads/daemon-set.yaml', 0, '--until', 'ready'],
  ['workloads/replica-set.yaml', 0, '--until', 'ready'],
  ['workloads/replication-controller.yaml', 0, '--until', 'ready'],
  ['workloads/cron-job.yaml', 0, '--until', 'ready'],
  ['workloads/ingress.yaml', 0, '--until', 'ready', '--ingress-port', `${await freePort()},${await freePort()}`],
  ['workloads/disruption-budget.yaml', 0, '--until', 'ready'],
  ['workloads/limit-range.yaml', 0],
  ['workloads/pod-template.yaml', 0],
  ['workloads/job.yaml', 0],
  ['workloads/failing-job.yaml', 1],
  ['workloads/server-and-migration.yaml', 0, '--until', 'complete'],
];

describe.concurrent('fixtures of workloads', () => {
  it.for(WORKLOADS)('%s ends with %d', async ([file, exitCode, ...flags], context) => {
    const args = ['apply', path.join(fixtures, file), ...flags];
    expect(await workshopFor(context).run(args)).toMatchObject({ exitCode });
  });
});

describe.concurrent('fixtures', () => {
  it.for(CASES)('$file ends as its comment says', async (one, context) => {
    const workshop = workshopFor(context);
    const { file, flags = [], exitCode, pods } = one;
    const ended = await workshop.run(['apply', path.join(fixtures, file), '-o', 'json', ...flags]);
    expect(ended.exitCode).toBe(exitCode);
    const last = new Map(podsIn(watchLines(ended.stdout)).map(({ metadata, status }) => [metadata?.name, status]));
    expect(Object.fromEntries([...last].map(([name, status]) => [name, outcome(status)]))).toEqual(pods);
  });

  it.for([
    { file: 'broken.yaml', says: ['metadata.name', 'spec.restartPolicy', 'containerPort', 'spec.containers[1].image'] },
    { file: 'misspelled.yaml', says: ['did you mean "restartPolicy"', 'did you mean "command"'] },
  ])('all mistakes of $file are reported, and nothing starts', async ({ file, says }, context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['apply', path.join(fixtures, file)]);
    expect(exitCode).toBe(2);
    for (const part of says) expect(stderr).toContain(part);
  });

  it('images/greeter.yaml runs the program that podrun.yaml names, in its folder', async (context) => {
    const workshop = workshopFor(context);
    const { stdout } = await workshop.run(['apply', path.join(fixtures, 'images/greeter.yaml'), ...withMap]);
    expect(stdout).toContain('Hello, world, from images');
  });
});

function outcome(status: PodStatus | undefined): string[] {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return [
    status?.phase ?? '',
    ...containers.map(({ name, state, restartCount }) => {
      const { reason } = state?.terminated ?? state?.waiting ?? { reason: 'Running' };
      return `${name} ${reason} ${restartCount}`;
    }),
  ];
}
