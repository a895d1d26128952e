import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { podsIn, watchLines, type Workshop, workshopFor } from './workshop.ts';
import type { Pod } from '../../src/api/generated/types.ts';

describe('simulate', () => {
  const CRASH = { containers: [{ name: 'app', command: ['false'] }] };

  it('prints a day of a node in lines, and hours of it as watch events', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', CRASH);
    const call = ['simulate', manifest, '--program', 'app=exits 3 after 10s'];
    const text = await workshop.run(call);
    expect(text).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no program of the manifests runs') });
    expect(text.stdout).toContain('  40.00s  ✗ app  exited with code 3 after 10s\n');
    expect(text.stdout).toContain('\nafter 24h:\n  pod/web Running, not ready, 283 restarts\n');
    const events = [...call, '--for', '2h', '-o', 'json'];
    const [one, other] = [await workshop.run(events), await workshop.run(events)];
    expect(podsIn(watchLines(one.stdout)).at(-1)?.status?.containerStatuses?.[0]?.restartCount).toBe(28);
    expect(other.stdout).toBe(one.stdout);
    expect((await workshop.run(['get', 'pods'])).stderr).toContain('No resources found');
  });

  it('shows an autoscaler under a load: how many replicas, when and why', async (context) => {
    const workshop = workshopFor(context);
    const place = (name: string): string => fileURLToPath(new URL(`../../fixtures/workloads/${name}`, import.meta.url));
    const call = ['simulate', place('autoscaler.yaml'), '--load', place('load.csv')];
    const { exitCode, stdout } = await workshop.run(call);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ hpa\/web +web 2 → 4: cpu 300 % of 50 %$/m);
    expect(stdout.slice(stdout.indexOf('\nhpa/web:\n'), stdout.indexOf('\nafter 25m:\n'))).toBe(`
hpa/web:
  TIME    LOAD    REPLICAS   WHY
  0s      150m    1 → 2      Current number of replicas below Spec.MinReplicas
  5m0s    1200m   2 → 4      cpu 300 % of 50 % (ScaleUpLimit)
  5m15s   1200m   4 → 8      cpu 150 % of 50 % (ScaleUpLimit)
  5m30s   1200m   8 → 10     cpu 75 % of 50 % (TooManyReplicas)
  20m0s   150m    10 → 2     cpu 7 % of 50 %`);
    const manifest = workshop.pod('web', CRASH);
    const refused = await workshop.run(['simulate', manifest, '--load', place('load.csv')]);
    expect(refused.stderr).toContain('--load: no HorizontalPodAutoscaler of the manifests scales by it');
  });

  it('has several nodes, one of which is lost by plan', async (context) => {
    const workshop = workshopFor(context);
    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'app', image: 'app' }] };
    const nodes = [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'big' } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'spot' } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'tiny' }, status: { capacity: { pods: '0' } } },
    ];
    const web = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
    const manifest = workshop.file('web.yaml', [...nodes, web].map((one) => JSON.stringify(one)).join('\n---\n'));
    const whole = await workshop.run(['simulate', manifest, '--for', '1m']);
    expect(whole.stdout).toMatch(/pod\/web-\w+-\w+ Running on big, ready/);
    expect(whole.stdout).toMatch(/pod\/web-\w+-\w+ Running on spot, ready/);
    const lost = await workshop.run(['simulate', manifest, '--for', '1h', '--inject', 'node:spot=crash@10m']);
    expect(lost.stdout).toContain('node/spot');
    expect(lost.stdout).toMatch(/pod\/web-\w+-\w+ Running on spot, not ready/);
    expect(lost.stdout.match(/Running on big, ready/g)).toHaveLength(2);
    const refused = await workshop.run(['simulate', manifest, '--inject', 'node:node-9=crash']);
    expect(refused.stderr).toContain('there is no node node-9');
  });

  it.for<[string[], string]>([
    [['--inject', 'partition:web'], 'a simulated machine pulls no image and has no network'],
    [['--program', 'main=runs'], 'there is no container main'],
    [['--program', 'app=flies'], '"flies" is none of its clauses'],
    [['--for', '0'], '--for must be longer than 0'],
  ])('%j is refused', async ([flags, sentence], context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['simulate', workshop.pod('web', CRASH), ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe.concurrent('apply --speed', () => {
  it('shortens back-offs, and not their timestamps; other commands show sound ages afterwards', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('crash', { containers: [{ name: 'main', command: ['false'] }] });
    const podrun = workshop.begin(['apply', manifest, '--speed', '100x', '-o', 'json']);
    const restarts = (pod: Pod): number => pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
    await podrun.until(({ lines }) => podsIn(lines).some((pod) => restarts(pod) > 2));
    podrun.signal('SIGINT');
    const { stdout, stderr } = await podrun.ended;
    expect(stderr).toContain('time passes 100 times as fast');
    const runs = podsIn(watchLines(stdout)).flatMap(({ status }) => {
      const { state, lastState, restartCount = 0 } = status?.containerStatuses?.[0] ?? {};
      return state?.running === undefined ? [] : [{ restartCount, at: state.running.startedAt, before: lastState }];
    });
    const second = runs.find(({ restartCount }) => restartCount === 2);
    const pauseMs = Date.parse(second?.at ?? '') - Date.parse(second?.before?.terminated?.finishedAt ?? '');
    expect(pauseMs).toBeGreaterThanOrEqual(10_000);
    for (const command of [['get', 'pods'], ['events'], ['describe', 'pod', 'crash']]) {
      expect((await workshop.run(command)).stdout).not.toContain('<invalid>');
    }
    expect((await workshop.run(['events'])).stdout).toContain('TimeIsFaster');
  });

  it('shortens time limits', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const flags = ['--speed', '3600x', '--timeout', '1h'];
    expect(await workshop.run(['apply', manifest, ...flags])).toMatchObject({ exitCode: 124 });
  });

  it.for<[string, string[], string]>([
    ['0.5x', [], 'It may be from 1x to 3600x'],
    ['fast', [], 'Write it as 60x'],
    ['60x', ['--detach'], '--speed cannot be used with --detach'],
    ['60x', ['--context', 'prod'], '--speed cannot be used with --context'],
  ])('%s %j is refused', async ([speed, more, sentence], context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', { containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stderr } = await workshop.run(['apply', manifest, '--speed', speed, ...more]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe('matrix', () => {
  const SERVER = {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'app', command: ['sleep', '1000'] }],
  };

  it('says what a user would have noticed of the faults of each seed', async (context) => {
    const workshop = workshopFor(context);
    const flags = ['--inject', 'kill:app@100ms', '--seeds', '2', '--jobs', '2', '--for', '10s'];
    const { exitCode, stdout } = await workshop.run(['matrix', workshop.pod('web', SERVER), ...flags, '-o', 'json']);
    const { inject, runs } = JSON.parse(stdout) as { inject: string[]; runs: Array<Record<string, number>> };
    expect(inject).toEqual(['kill:app@100ms']);
    expect(runs.map(({ seed, faults, restarts }) => ({ seed, faults, restarts }))).toEqual([
      { seed: 1, faults: 1, restarts: 1 },
      { seed: 2, faults: 1, restarts: 1 },
    ]);
    expect(exitCode).toBe(runs.every((run) => run['exitCode'] === 0) ? 0 : 1);
  });

  /** A manifest of a Pod that serves, and its Service with these fields. */
  async function served(workshop: Workshop, spec: object = {}): Promise<string> {
    const port = await freePort();
    const listen = `require('http').createServer((_, to) => to.end('hello')).listen(${port}, process.env.IP)`;
    const app = {
      name: 'app',
      image: 'node',
      command: [process.execPath, '-e', listen],
      env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
    };
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ port: 8080, targetPort: port }], ...spec },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { ...SERVER, containers: [app] },
      },
    ];
    return workshop.file('web.json', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  }

  const COUNTING = ['--inject', 'kill:app@1h', '--for', '10s', '--network', 'host', '-o', 'json'];

  it('counts the requests to a Service, in runs at the same time each its own', async (context) => {
    const workshop = workshopFor(context);
    const call = ['matrix', await served(workshop), ...COUNTING, '--seeds', '2', '--jobs', '2'];
    const { stdout } = await workshop.run(call);
    const { runs } = JSON.parse(stdout) as { runs: Array<{ requests: [{ service: string; sent: number }] }> };
    expect(runs).toMatchObject([{ requests: [{ service: 'web' }] }, { requests: [{ service: 'web' }] }]);
    for (const { requests } of runs) expect(requests[0].sent).toBeGreaterThan(2);
  });

  it('fails a run, and counts no requests, when another program has the address of its Service', async (context) => {
    const workshop = workshopFor(context);
    const other = createServer((_, to) => to.end('another program'));
    context.onTestFinished(() => void other.close());
    const clusterIP = '127.96.211.7';
    await once(other.listen(8080, clusterIP), 'listening');
    const { stdout } = await workshop.run([
      'matrix',
      await served(workshop, { clusterIP }),
      ...COUNTING,
      '--seeds',
      '1',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ exitCode: 1, requests: [] }] });
  });

  it.for<[object, string[], boolean]>([
    [{}, [], true],
    [{ restartPolicy: 'OnFailure' }, [], false],
    [{}, ['--timeout', '1m'], false],
    [{}, ['--for', '5s'], false],
  ])(
    'ends runs of a Pod with %j that does not end by itself (flags %j): %s',
    async ([spec, flags, isEnded], context) => {
      const workshop = workshopFor(context);
      const manifest = workshop.pod('web', { ...SERVER, ...spec });
      // The fault of no container ends the first run before it begins.
      const { stderr } = await workshop.run(['matrix', manifest, '--inject', 'kill:none', ...flags]);
      const sentence = 'each run lasts 20s after its Pods are ready (--for), since pod/web does not end by itself';
      expect({ stderr, isEnded: stderr.includes(sentence) }).toMatchObject({ isEnded });
      expect(stderr).toContain('there is no container none');
    },
  );

  it('fails when a run does, and names the command that shows it again', async (context) => {
    const workshop = workshopFor(context);
    const containers = [{ name: 'app', command: ['sh', '-c', 'echo bye; exec sleep 1000'] }];
    const manifest = workshop.pod('web', { ...SERVER, containers, restartPolicy: 'Never' });
    const call = ['matrix', manifest, '--inject', 'kill:app@10s', '--seeds', '1'];
    const { exitCode, stdout, stderr } = await workshop.run(call);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^seed 1: error: pod "web" failed: .*\nseed 1: {3}last line of container app:\nseed 1: {5}bye$/m,
    );
    expect(stderr).not.toContain('what to try');
    expect(stdout).toMatch(
      /^SEED +VERDICT +FAULTS +RESTARTS +READY AGAIN AFTER +LOST REQUESTS\n1 +failed +1 +0 +- +-\n1 run: 1 failed\n/,
    );
    expect(stdout).toContain(`again: podrun apply -f ${manifest} --inject kill:app@10s --seed 1\n`);
  });

  it('does not count runs that had no fault', async (context) => {
    const workshop = workshopFor(context);
    const containers = [{ name: 'app', command: ['true'] }];
    const manifest = workshop.pod('web', { containers, restartPolicy: 'Never' });
    const { exitCode, stdout } = await workshop.run(['matrix', manifest, '--inject', 'kill:app@1h', '--seeds', '1']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/\n1 +no fault +0 .*\n1 run: 1 no fault\nno run had a fault: .*--inject kill:app@0s/);
  });

  it.for<[string[], string]>([
    [['--inject', 'flood'], 'there is no such fault'],
    [['--seeds', '0'], '--seeds must be at least 1'],
    [['--jobs', '9'], '--jobs must be from 1 to 8'],
    [['--for', '1s', '--', 'true'], '--for cannot be used with -- COMMAND'],
  ])('%j is refused', async ([flags, sentence], context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['matrix', workshop.pod('web', SERVER), ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe.concurrent('apply --inject', () => {
  const SERVER = { containers: [{ name: 'app', command: ['sleep', '1000'] }], terminationGracePeriodSeconds: 1 };

  it('ends a container, says so in an event, and reports the exit code of the fault', async (context) => {
    const workshop = workshopFor(context);
    const manifest = workshop.pod('web', { ...SERVER, restartPolicy: 'Never' });
    const flags = ['--inject', 'exit:3:app@200ms', '-o', 'json', '--timeout', '50s'];
    const { exitCode, stdout, stderr } = await workshop.run(['apply', manifest, ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('faults: exit:3:app@200ms') });
    const lines = watchLines(stdout);
    expect(podsIn(lines).at(-1)?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    expect(stdout).toContain('"reason":"FaultInjected"');
    expect(stdout).toContain('container app is ended (--inject exit:3:app@200ms --seed 1)');
  });

  it.for<[string[], string]>([
    [['--inject', 'kill:nobody@5s'], 'there is no container nobody'],
    [['--seed', '7'], '--seed needs --inject'],
    [['--count-requests'], '--count-requests needs --inject'],
    [['--inject', 'flood'], 'there is no such fault'],
    [['--inject', 'kill:app', '--detach'], '--inject cannot be used with --detach'],
    [['--inject', 'kill:app', '--context', 'prod'], '--inject cannot be used with --context'],
  ])('%j is refused', async ([flags, sentence], context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['apply', workshop.pod('web', SERVER), ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});
