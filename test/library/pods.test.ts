import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { GoalError, PodrunError, TimeoutError } from '../../src/library/index.ts';
import { emptyFolder, readyWith, run, shellPod } from './pods.ts';
import { PATIENT } from '../patience.ts';

const FOREVER = 'exec sleep 600';

describe('until', () => {
  it('resolves when all Pods, or the named one, have reached the goal', async () => {
    const file = path.join(emptyFolder(), 'ready');
    await using pods = await run([shellPod('early', FOREVER), shellPod('late', FOREVER, readyWith(file))]);
    await pods.until('Ready', { pod: 'early' });
    const all = pods.until('condition=Ready', { timeout: '1m' });
    expect(pods.get('late').status.conditions?.find(({ type }) => type === 'Ready')?.status).not.toBe('True');
    writeFileSync(file, '');
    await all;
    await pods.until(({ status }) => status.containerStatuses?.[0]?.ready === true);
    await pods.until('Ready=True');
    await pods.until('PodReadyToStartContainers');
  });

  it('rejects at once when a Pod can never get there, and says why', async () => {
    await using pods = await run(shellPod('web', 'echo no DATABASE_URL >&2; exit 3', readyWith('/nowhere')));
    const error = await pods.until('Ready', { timeout: '10m' }).catch((rejected: unknown) => rejected);
    expect(error).toBeInstanceOf(GoalError);
    expect(error).toBeInstanceOf(PodrunError);
    expect(error).toMatchObject({
      name: 'GoalError',
      goal: 'Ready',
      message: expect.stringMatching(
        /^pod "web" cannot become Ready: container main exited with code 3\n(.*\n)* +no DATABASE_URL\n/,
      ) as string,
      reason: 'container main exited with code 3',
    });
    expect((error as GoalError).object.metadata.name).toBe('web');
    await pods.until('Failed');
    await expect(pods.until('Succeeded')).rejects.toThrow('cannot become Succeeded');
    await expect(pods.until(() => false)).rejects.toThrow('cannot become');
  });

  it('rejects when a container ends that was Ready already', async () => {
    const crashing = shellPod('web', 'echo missing --config >&2; exit 3', {}, { restartPolicy: 'Always' });
    await using pods = await run(crashing, { timeout: '10m' });
    const error = await pods.until('Ready').catch((rejected: unknown) => rejected);
    expect(error).toBeInstanceOf(GoalError);
    expect(error).toMatchObject({
      goal: 'Ready',
      message: expect.stringMatching(
        /^pod "web" did not stay Ready: container main exited with code 3\n(.*\n)* +missing --config\n/,
      ) as string,
      reason: 'container main exited with code 3',
    });
    await expect(pods.until('Ready', { allowRestarts: true, timeout: 100 })).rejects.toThrow(TimeoutError);
    await expect(pods.until('Ready', { settle: 'soon' })).rejects.toThrow('settle must be');
  });

  it('waits until Ready has lasted for the settle time', async () => {
    await using pods = await run(shellPod('web', FOREVER), { settle: '1h' });
    await expect(pods.until('Ready', { timeout: 500 })).rejects.toThrow(TimeoutError);
    await pods.until('Ready', { settle: 0 });
    await pods.until('Initialized');
  });

  it('rejects when the time is up, and names the goal; the Pods keep running', async () => {
    await using pods = await run(shellPod('web', FOREVER, readyWith('/nowhere')), { timeout: 300 });
    const error = await pods.until('Ready').catch((rejected: unknown) => rejected);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ goal: 'Ready', timeoutMs: 300 });
    expect((error as TimeoutError).objects.map(({ metadata }) => metadata.name)).toEqual(['web']);
    expect((error as Error).message).toMatch(
      /^timed out after 300ms, waiting for Ready\npod\/web: container main to (become ready|start)/,
    );
    expect((error as Error).message).toContain('what to try:\n');
    expect((error as Error).message).not.toContain('podrun ');
    await pods.until('Initialized', { timeout: '1m' });
    expect(pods.get().status.phase).not.toBe('Failed');
  });

  it('shows what crashes again and again when the time is up', async () => {
    await using pods = await run(
      shellPod('web', 'echo why; exit 3', readyWith('/nowhere'), { restartPolicy: 'Always' }),
    );
    await pods.until(({ status }) => status.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff');
    await expect(pods.until('Ready', { timeout: 10 })).rejects.toThrow(
      /to be restarted: back-off 10s.*\n(.*\n)* +why\n(.*\n)* +read its log: pods\.logs\('main'\)$/,
    );
  });

  it('rejects with the error of a function, with the reason of a signal, and for an unknown goal', async () => {
    await using pods = await run(shellPod('web', FOREVER));
    const broken = (): boolean => {
      throw new Error('broken question');
    };
    await expect(pods.until(broken)).rejects.toThrow('broken question');
    const enough = AbortSignal.abort(new Error('enough'));
    await expect(pods.until('Succeeded', { signal: enough })).rejects.toThrow('enough');
    await expect(pods.until('!')).rejects.toThrow('until() cannot wait for "!"');
    await expect(pods.until('Ready', { timeout: 'soon' })).rejects.toThrow('timeout must be milliseconds');
    await expect(pods.until('Ready', { pod: 'wob' })).rejects.toThrow('this run has no pod "wob"');
  });
});

describe('what is known of Pods', () => {
  it('are logs, of this run of a container and the one before', async () => {
    const counted = path.join(emptyFolder(), 'runs');
    const count = `echo x >>${counted}; runs=$(wc -l <${counted})`;
    const script = `${count}; echo run $runs; [ $runs -gt 1 ] && ${FOREVER}; exit 1`;
    await using pods = await run(shellPod('web', script, {}, { restartPolicy: 'Always' }), {
      backoff: { initial: 50, max: '1s' },
    });
    await pods.until(({ status }) => status.containerStatuses?.[0]?.restartCount === 1);
    await pods.until('Ready');
    expect(pods.logs('main', { previous: true })).toBe('run 1\n');
    await vi.waitFor(() => expect(pods.logs('main')).toBe('run 2\n'), PATIENT);
    expect(pods.logs('main', { tail: 0 })).toBe('');
    expect(() => pods.logs('man')).toThrow('pod "web" has no container "man": it has main');
  });

  it('are changes, from the first to the last, also for a late caller', async () => {
    await using pods = await run(shellPod('web', 'true'));
    const seen: string[] = [];
    for await (const { type, pod } of pods.changes()) {
      const { waiting, running, terminated } = pod.status.containerStatuses?.[0]?.state ?? {};
      seen.push([type, waiting?.reason, running && 'running', terminated?.reason].filter(Boolean).join(' '));
    }
    const late: string[] = [];
    for await (const { type } of pods.changes()) late.push(type);
    expect(seen).toEqual(expect.arrayContaining(['ADDED', 'MODIFIED running', 'MODIFIED Completed']));
    expect(late).toHaveLength(seen.length);
  });

  it('are events and a description', async () => {
    await using pods = await run([shellPod('one', 'true'), shellPod('two', 'true')]);
    await pods.until('Succeeded');
    expect(pods.events('one').map(({ reason }) => reason)).toEqual(['Scheduled', 'Pulled', 'Created', 'Started']);
    expect(pods.events()).toHaveLength(8);
    expect(pods.describe('two')).toMatch(/^Name: +two\n/);
    expect(pods.describe().match(/^Name: /gm)).toHaveLength(2);
    expect(() => pods.get()).toThrow('this run has several Pods: name one of default/one, default/two');
  });
});

describe('Pods that run', () => {
  it('run commands', async () => {
    await using pods = await run(shellPod('web', FOREVER, { env: [{ name: 'WORD', value: 'inside' }] }));
    await pods.until('Ready');
    const script = 'cat; echo $WORD; echo oh >&2; exit 3';
    expect(await pods.exec('main', ['sh', '-c', script], { input: 'in, ' })).toEqual({
      stdout: 'in, inside\n',
      stderr: 'oh\n',
      exitCode: 3,
    });
    await expect(pods.exec('main', ['no-such-program'])).rejects.toThrow('no-such-program');
    await expect(pods.exec('main', [])).rejects.toThrow('exec() needs a command');
    await pods.stop();
    await expect(pods.exec('main', ['true'])).rejects.toThrow('container main of pod "web" does not run');
  });

  it('can be changed, and their readiness gates turned', async () => {
    const gate = 'example.com/lb';
    await using pods = await run(shellPod('web', FOREVER, {}, { readinessGates: [{ conditionType: gate }] }));
    await pods.until('ContainersReady');
    pods.condition(gate, true, { reason: 'Wired' });
    await pods.until('Ready');
    expect(pods.get().status.conditions).toContainEqual(expect.objectContaining({ type: gate, reason: 'Wired' }));
    pods.condition(gate, 'False');
    await pods.until('Ready=False');
    pods.condition(gate, undefined);
    expect(pods.get().status.conditions?.some(({ type }) => type === gate)).toBe(false);
    expect(pods.patch({ metadata: { labels: { a: 'b' } } }).metadata.labels).toEqual({ a: 'b' });
    pods.patch([{ op: 'remove', path: '/metadata/labels' }]);
    expect(pods.get().metadata.labels).toBeUndefined();
    expect(() => pods.condition('Ready', true)).toThrow("the condition Ready is the kubelet's own");
    expect(() => pods.patch({ spec: { nodeName: 'moon' } })).toThrow('pod updates may not change fields');
  });

  it('answer at their ports', async () => {
    const server = [
      "const server = require('node:http').createServer((_, answer) => answer.end('hello'));",
      "server.listen(Number(process.env.PORT), process.env.IP, () => console.log('listening'));",
    ].join('');
    const port = 20_000 + (process.pid % 10_000);
    const pod = shellPod('web', '', {
      command: [process.execPath, '-e', server],
      env: [
        { name: 'PORT', value: String(port) },
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
      ports: [{ name: 'http', containerPort: port }],
      readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
    });
    await using pods = await run(pod);
    await pods.until('Ready');
    // The probe may connect before the server has printed the line.
    await expect.poll(() => pods.logs(), PATIENT).toContain('listening');
    expect(pods.url('http')).toBe(`http://${pods.address()}:${port}`);
    expect(await (await fetch(pods.url(port))).text()).toBe('hello');
    await using forwarding = await pods.forward('http');
    expect(await (await fetch(forwarding.url)).text()).toBe('hello');
    expect(() => pods.url('https')).toThrow('pod "web" has no port named "https": it has "http"');
    expect(pods.url('pod/web')).toBe(pods.url('http'));
    expect(() => pods.url('service/web')).toThrow('this run has no service/web: it has no Service and no Ingress');
  });

  it('lead errors back to the line that called', async () => {
    await using pods = await run(shellPod('web', 'exit 1'));
    const error = await pods.until('Succeeded').catch((rejected: unknown) => rejected);
    expect((error as Error).stack).toContain(path.basename(import.meta.filename));
  });
});

describe('the end of Pods', () => {
  /** A Pod that ignores SIGTERM. It is ready once it does. */
  const stubborn = (): ReturnType<typeof shellPod> => {
    const file = path.join(emptyFolder(), 'up');
    return shellPod('web', `trap '' TERM; touch ${file}; while :; do sleep 0.05; done`, readyWith(file));
  };

  it('keeps the records of its Pods until they are closed', async () => {
    const file = path.join(emptyFolder(), 'up');
    const polite = `trap 'echo bye; exit 0' TERM; touch ${file}; while :; do sleep 0.05; done`;
    const pods = await run(shellPod('web', polite, readyWith(file)));
    await pods.until('Ready');
    await pods.stop();
    expect(pods.get().status.phase).toBe('Succeeded');
    expect(pods.logs()).toContain('bye');
    await pods.close();
    await pods.close();
    expect(pods.get().status.phase).toBe('Succeeded');
    expect(() => pods.logs()).toThrow('these Pods are closed');
  });

  it('comes after a grace period, or by force', async () => {
    const pods = await run(stubborn());
    await pods.until('Ready');
    await pods.stop({ gracePeriod: 1 });
    expect(pods.get().status.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
    await pods.close();
    const others = await run(stubborn());
    await others.until('Ready');
    await expect(others.stop({ gracePeriod: -1 })).rejects.toThrow('gracePeriod must be a whole number of seconds');
    await others.stop({ force: true });
    await others.close();
  });

  it('is a deletion where that is wanted', async () => {
    await using pods = await run([shellPod('one', FOREVER), shellPod('two', FOREVER)]);
    await pods.until('Ready');
    const waiting = pods.until('Succeeded', { pod: 'one' }).catch((error: unknown) => error);
    await pods.delete('one');
    expect(await waiting).toBeInstanceOf(GoalError);
    expect(pods.get('one').metadata.deletionTimestamp).toBeDefined();
    await pods.delete();
    await pods.delete();
  });
});
