import { describe, expect, it } from 'vitest';
import { podsIn, watchLines, workshopFor } from './workshop.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const GOALS = ['ready', 'Ready', 'Ready=True', 'ContainersReady'];

describe.concurrent('apply --until', () => {
  it.for(GOALS)('%s ends the Pod once it has met the goal', async (goal, context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const { exitCode, stdout } = await workshop.run(['apply', manifest, '--until', goal, '-o', 'json']);
    expect(exitCode).toBe(0);
    const wasReady = podsIn(watchLines(stdout)).some(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    expect(wasReady).toBe(true);
    expect(workshop.processes()).toEqual([]);
  });

  it('succeeded waits for the end', async (context) => {
    const workshop = workshopFor(context);
    const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'main', command: ['true'] }] };
    expect(await workshop.run(['apply', workshop.pod('job', spec), '--until', 'succeeded'])).toMatchObject({
      exitCode: 0,
    });
  });

  it('ends as soon as the goal can no longer be met, with the first cause', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('hopeless', {
      restartPolicy: 'Never',
      initContainers: [{ name: 'prepare', image: 'busybox', command: ['sh', '-c', 'echo no database; exit 3'] }],
      containers: [{ name: 'main', command: ['true'] }],
    });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--until', 'ready', '--timeout', '3m']);
    expect(exitCode).toBe(1);
    for (const part of ['init container prepare', 'code 3', 'no database']) expect(stderr).toContain(part);
  });

  it('explains a stuck Pod by its events after the timeout', async (context) => {
    const workshop = workshopFor(context);
    const volumes = [{ name: 'settings', configMap: { name: 'missing' } }];
    const manifest = workshop.pod('mounting', { volumes, containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stderr } = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, '--timeout', LIMIT], {}, more),
      (shown) => shown.includes('configmap "missing" not found'),
    );
    expect(exitCode).toBe(124);
    expect(stderr.replaceAll(/^waiting for .*\n/gm, '')).toBe(
      'error: timed out after 5m\npod/mounting: container main to start: ' +
        'volume settings cannot be set up: configmap "missing" not found\n' +
        '  what to try:\n' +
        '    add ConfigMap missing to the manifest\n' +
        '    or apply it by itself: podrun apply -f FILE\n' +
        '    see its details: podrun describe pod mounting\n',
    );
  });

  it('names a condition that no Pod has, and a similar one', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('steady', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const args = ['apply', manifest, '--timeout', LIMIT, '--until'];
    const { exitCode, stderr } = await untilTimeIsUp(
      (more) => workshop.run([...args, 'example.com/warm'], {}, more),
      (shown) => shown.includes('ContainersReady, Ready'),
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 124,
      stderr: expect.stringContaining('podrun condition pod steady example.com/warm=True\n') as string,
    });
    expect(await workshop.run([...args, 'redy'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: --until redy: no object has a condition redy\nDid you mean ready?\n',
    });
    expect(await workshop.run([...args, 'ready', '--until', 'Warm'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: --until Warm: no object has a condition Warm\nA condition of another program/,
      ) as string,
    });
  });

  it('explains a Pod that failed while apply waited for other Pods', async (context) => {
    const workshop = workshopFor(context);
    const broken = { containers: [{ name: 'main', command: ['sh', '-c', 'echo no config; exit 3'] }] };
    const manifests = [
      workshop.pod('broken', { restartPolicy: 'Never', ...broken }),
      workshop.pod('steady', { containers: [{ name: 'main', command: ['sleep', '1000'] }] }),
    ];
    const { stderr } = await untilTimeIsUp(
      (more) => workshop.run(['apply', ...manifests, '--timeout', LIMIT], {}, more),
      (shown) => /broken +Failed: /.test(shown) && /steady .*ContainersReady, Ready/.test(shown),
    );
    const [, told = ''] = stderr.split('timed out after 5m\n');
    expect(told).toContain('pod/broken: nothing, it has Failed: container main exited with code 3\n');
    expect(told).toContain('    no config\n');
    expect(told).toContain('pod/steady: main to be stopped');
  });

  it('prints the results of probes, the last output and remedies', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', {
      containers: [
        {
          name: 'main',
          command: ['sh', '-c', 'echo listening on 1; trap "echo ended; exit" TERM; while :; do sleep 0.1; done'],
          readinessProbe: { exec: { command: ['sh', '-c', 'echo no database; exit 3'] }, periodSeconds: 1 },
        },
      ],
    });
    const { exitCode, stderr } = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, '--until', 'ready', '--timeout', LIMIT], {}, more),
      (shown) => shown.includes('(readiness probe failed ') && shown.includes('listening on 1'),
    );
    expect(exitCode).toBe(124);
    expect(stderr.replaceAll(/^waiting for .*\n/gm, '')).toMatch(
      new RegExp(
        [
          '^error: timed out after 5m',
          'pod/server: container main to become ready .*, last result: exit code 3: no database\\)',
          '  readiness probe, exec \\[sh -c echo no database; exit 3\\]:',
          '    .*after the start: exit code 3: no database',
          // The last line from before the end of the Pod.
          '  last line of container main:',
          '    listening on 1',
          '  what to try:',
          '    see every attempt: podrun probes server -c main',
          '    read its log: podrun logs server -c main\n$',
        ].join('\\n'),
      ),
    );
  });

  it('writes the reason of the wait to a log', async (context) => {
    const workshop = workshopFor(context);
    const readinessProbe = { exec: { command: ['false'] }, periodSeconds: 1 };
    const manifest = workshop.pod('server', {
      containers: [{ name: 'main', command: ['sleep', '1000'], readinessProbe }],
    });
    const podrun = workshop.begin(['apply', manifest, '--until', 'ready']);
    const line = 'waiting for pod/server: container main to become ready (readiness probe failed ';
    await podrun.until(({ stderr }) => stderr.includes(line));
    podrun.signal('SIGINT');
    expect(await podrun.ended).toMatchObject({ exitCode: 130 });
  });

  it('ends at once when a container that should be Ready has ended well', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('half', {
      restartPolicy: 'Never',
      containers: [
        { name: 'main', command: ['sh', '-c', 'echo done'] },
        { name: 'other', command: ['sleep', '1000'], readinessProbe: { exec: { command: ['false'] } } },
      ],
    });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--', 'true']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'error: pod "half" cannot become Ready: container main exited with code 0, and is not started again\n' +
        '  last line of container main:\n    done\n  what to try:\n    a program that ends is not Ready',
    );
  });

  it('reports a failed Pod when COMMAND failed', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['sh', '-c', `until test -e go; do sleep 0.1; done; echo oops; exit 3`] }],
    });
    const check = `touch go; until ${workshop.commandLine(['wait', 'pod/server', '--timeout=3m']).join(' ')} \
      --for=jsonpath={.status.phase}=Failed; do :; done; exit 7`;
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--', 'sh', '-c', check]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain(
      'error: pod "server" did not stay Ready while COMMAND was running: container main exited with code 3\n' +
        '  last line of container main:\n    oops\n',
    );
  });

  it('ends at once when the Pod is deleted meanwhile', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('server', {
      containers: [
        {
          name: 'main',
          command: ['sleep', '1000'],
          readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 },
        },
      ],
    });
    const podrun = workshop.begin(['apply', manifest, '--until', 'ready', '--timeout', '1h']);
    await podrun.until(({ stdout }) => stdout.includes('Running'));
    await workshop.run(['delete', 'pod', 'server', '--now']);
    const { exitCode, stderr } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error: pod "server" cannot become ready: it is being deleted\n');
  });

  it('refuses a goal that does not exist', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('job', { containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--until', 'Redy=Maybe']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Redy=Maybe');
  });
});
