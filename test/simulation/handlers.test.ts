import { expect, it } from 'vitest';
import { PodSimulation } from './pod-simulation.ts';

it('hooks log their beginning, output and end; probes log failures', async () => {
  let healthy = true;
  const exec = (name: string): { exec: { command: string[] } } => ({ exec: { command: [name] } });
  const pod = await new PodSimulation({
    spec: {
      containers: [
        {
          name: 'main',
          image: 'app',
          lifecycle: { postStart: exec('register'), preStop: exec('drain') },
          livenessProbe: { ...exec('alive'), periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 100 },
          readinessProbe: { ...exec('quiet'), periodSeconds: 1, timeoutSeconds: 1 },
        },
      ],
    },
    behaveExec: (_, [command]) => {
      if (command === 'register') return { afterMs: 250, stdout: 'registered', stderr: 'slowly\n' };
      if (command === 'drain') return { afterMs: 60_000, stdout: 'never seen' };
      if (command === 'quiet') return {};
      return healthy ? { stdout: 'fine\n' } : { afterMs: 5000, stdout: 'thinking\n' };
    },
  }).start();
  await pod.clock.run(1100);
  healthy = false;
  await pod.clock.run(2000);
  pod.delete(2);
  await pod.clock.run(5000);
  expect(pod.hookOutput).toEqual([
    'main postStart: begins: exec [register]',
    'main postStart stderr: slowly',
    'main postStart stdout: registered',
    'main postStart: ended after 0.250s: exit code 0',
    'main liveness stdout: fine',
    'main liveness stdout: thinking',
    'main liveness: ended after 1.000s: killed: it timed out',
    'main preStop: begins: exec [drain]',
    'main preStop: ended after 2.000s: killed: its container is ending',
  ]);
  const ofMain = { container: 'main', restartCount: 0, time: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(pod.hookRuns).toEqual([
    { ...ofMain, hook: 'postStart', handler: 'exec [register]', durationMs: 250, result: 'success' },
    {
      ...ofMain,
      hook: 'preStop',
      handler: 'exec [drain]',
      durationMs: 2000,
      result: 'failure',
      message: expect.stringContaining('context canceled'),
      output: 'the hook was cut short',
    },
  ]);
});

it.each([
  { hook: 'postStart', of: 'a command', handler: { exec: { command: ['slow'] } }, how: 'killed' },
  { hook: 'postStart', of: 'a pause', handler: { sleep: { seconds: 60 } }, how: 'cut short' },
  { hook: 'preStop', of: 'a command', handler: { exec: { command: ['slow'] } }, how: 'killed' },
])('a $hook hook with $of logs its last output before the exit of its container is reported', async (given) => {
  const container = { name: 'main', image: 'app', lifecycle: { [given.hook]: given.handler } };
  const pod = await new PodSimulation({
    spec: { restartPolicy: 'Never', containers: [container] },
    behave: () => ({ exitAfterMs: 1000 }),
    behaveExec: () => ({ afterMs: 60_000 }),
  }).start();
  await pod.clock.run(500);
  if (given.hook === 'preStop') pod.delete(30);
  await pod.clock.run(5000);
  const lines = pod.seen.flatMap(({ said, status }) => {
    const end = status?.containerStatuses?.[0]?.state?.terminated;
    return said ?? (end === undefined ? [] : [end.reason]);
  });
  expect(lines.slice(0, 3)).toEqual([
    expect.stringContaining(`main ${given.hook}: begins: `),
    expect.stringMatching(`^main ${given.hook}: ended after .*: ${given.how}: its container is ending$`),
    'Completed',
  ]);
});

it('the journal names the run of the container that an attempt was about', async () => {
  const pod = await new PodSimulation({
    spec: {
      restartPolicy: 'OnFailure',
      containers: [{ name: 'main', image: 'app', livenessProbe: { exec: { command: ['no'] }, failureThreshold: 1 } }],
    },
    behaveExec: () => ({ exitCode: 1 }),
  }).start();
  await pod.clock.run(25_000);
  expect(
    pod.attempts.map(({ restartCount, exitCode, decision, time }) => [restartCount, exitCode, decision, time.length]),
  ).toEqual([
    [0, 1, 'restart', 27],
    [1, 1, 'restart', 27],
  ]);
});

it('a probe that is due between the exit of its container and the report of that exit counts for nothing', async () => {
  const pod: PodSimulation = new PodSimulation({
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'app', readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 1 } }],
    },
    behave: () => ({ exitAfterMs: 1500 }),
    explain: (_pod, _instance, { type }) =>
      type === 'exited'
        ? new Promise((resolve) => {
            pod.clock.wakeAt(pod.clock.now().monotonicMs + 5000, () => resolve(undefined));
          })
        : undefined,
  });
  await pod.start();
  await pod.clock.run(10_000);
  expect(pod.phases.at(-1)).toBe('Succeeded');
  expect(pod.events.filter((event) => event.startsWith('Unhealthy'))).toEqual([]);
  expect(pod.attempts.map(({ decision }) => decision)).toEqual(['ready', 'none', 'abandoned']);
});
