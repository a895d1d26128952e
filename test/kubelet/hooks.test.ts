import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HandlerLog } from '../../src/kubelet/hooks/handler-log.ts';
import { type HookInput, type HookOutcome, runHook } from '../../src/kubelet/hooks/hooks.ts';
import type { LifecycleHandler } from '../../src/api/generated/types.ts';
import { SystemClock } from '../../src/clock.ts';
import { lifecycleHttpFallback } from '../../src/lifecycle/texts/events.ts';
import type { ExecOutcome } from '../../src/runtime/base/runtime.ts';
import { podWith } from '../lifecycle/base-objects.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { closedPort, httpServer, rawServer, tcpServer } from './local-servers.ts';

const IN_POD = 'for Container "main" in Pod "web_shop(7b3d8f6e-0000-4000-8000-000000000001)" failed - error:';

/** Runs a hook in a Pod with default input. */
function running(handler: LifecycleHandler, input: Partial<HookInput> = {}): Promise<HookOutcome> {
  return runHook({
    handler,
    pod: podWith(),
    container: { name: 'main', env: [{ name: 'NAME', value: 'value' }] },
    exec: () => Promise.reject(new Error('no command expected')),
    clock: new SystemClock(),
    signal: new AbortController().signal,
    onFallback: () => undefined,
    log: new HandlerLog(new SystemClock(), () => undefined),
    ...input,
  });
}

const exited = (exitCode: number, stdout = '', stderr = ''): ExecOutcome => ({
  type: 'exited',
  exitCode,
  stdout,
  stderr,
});

/** The output of a hook: `stdout text`, and notes without a stream or times. */
async function sayingsOf(handler: LifecycleHandler, input: Partial<HookInput> = {}): Promise<string[]> {
  const sayings: string[] = [];
  const clock = input.clock ?? new SystemClock();
  const log = new HandlerLog(clock, (stream, lines) =>
    sayings.push(`${stream === undefined ? '' : `${stream} `}${lines.toString().trimEnd()}`),
  );
  await running(handler, { ...input, log });
  return sayings.map((text) => text.replace(/after \d+\.\d{3}s/, 'after TIME'));
}

describe('an HTTP hook', () => {
  it('to which another program has responded fails, and names it', async () => {
    const port = await httpServer((_, response) => response.end('hello'));
    const output = `port ${port} is answered by nginx (pid 7), which is no process of this Pod`;
    const hook = { httpGet: { path: '/go', port } };
    expect(await running(hook, { foreignAnswer: () => Promise.resolve(output) })).toEqual({
      ok: false,
      message: `HTTP lifecycle hook (/go) ${IN_POD} ${output}`,
      output,
    });
    expect(await running(hook, { foreignAnswer: () => Promise.resolve(undefined) })).toEqual({ ok: true });
  });
});

describe('what a hook says', () => {
  it('is when it begins, the answer to its request, and its status', async () => {
    const port = await httpServer((_, response) => response.writeHead(503).end('busy\nlater'));
    expect(await sayingsOf({ httpGet: { path: '/stop', port } })).toEqual([
      `begins: http-get http://:${port}/stop`,
      'stdout busy',
      'stdout later',
      'ended after TIME: HTTP status 503',
    ]);
  });

  it('is why its request came to nothing', async () => {
    const port = await closedPort();
    const error = `Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect((await sayingsOf({ httpGet: { path: '/', port } })).at(-1)).toBe(`ended after TIME: ${error}`);
  });

  it.each<{ name: string; outcome: ExecOutcome; note: string }>([
    { name: 'exited', outcome: exited(5), note: 'exit code 5' },
    { name: 'never started', outcome: { type: 'failedToStart', error: 'no such\nfile' }, note: 'no such file' },
    { name: 'was killed', outcome: { type: 'aborted' }, note: 'killed: its container is ending' },
  ])('is how its command $name', async ({ outcome, note }) => {
    const exec = (): Promise<ExecOutcome> => Promise.resolve(outcome);
    expect(await sayingsOf({ exec: { command: ['drain', 'all'] } }, { exec })).toEqual([
      'begins: exec [drain all]',
      `ended after TIME: ${note}`,
    ]);
  });

  it.each([
    { ends: false, note: 'done' },
    { ends: true, note: 'cut short: its container is ending' },
  ])('is how long it slept: $note', async ({ ends, note }) => {
    const clock = new ManualClock();
    const ended = new AbortController();
    const sayings = sayingsOf({ sleep: { seconds: 5 } }, { clock, signal: ended.signal });
    await clock.run(2000);
    if (ends) ended.abort();
    else await clock.run(3000);
    expect(await sayings).toEqual(['begins: sleep 5s', `ended after TIME: ${note}`]);
  });
});

describe('an exec hook', () => {
  it('runs its command as it is written', async () => {
    const seen: (readonly string[])[] = [];
    const exec: HookInput['exec'] = (argv) => {
      seen.push(argv);
      return Promise.resolve(exited(0, 'ignored'));
    };
    expect(await running({ exec: { command: ['echo', '$(NAME)', '$$'] } }, { exec })).toEqual({ ok: true });
    expect(seen).toEqual([['echo', '$(NAME)', '$$']]);
  });

  it.each<{ name: string; outcome: ExecOutcome; brief: object; error: string }>([
    {
      name: 'exits with another code',
      outcome: exited(5, 'out\n', 'err\n'),
      brief: { exitCode: 5, output: 'out\nerr\n' },
      error: `command 'sh -c exit 5' exited with 5: err\n, message: ${String.raw`"out\nerr\n"`}`,
    },
    {
      name: 'cannot be started',
      outcome: { type: 'failedToStart', error: 'failed to exec in container: no' },
      brief: { output: 'failed to exec in container: no' },
      error: 'rpc error: code = Unknown desc = failed to exec in container: no, message: ""',
    },
    {
      name: 'is cut short',
      outcome: { type: 'aborted' },
      brief: { output: 'the hook was cut short' },
      error: 'rpc error: code = Canceled desc = context canceled, message: ""',
    },
  ])('fails when it $name', async ({ outcome, brief, error }) => {
    const exec = (): Promise<ExecOutcome> => Promise.resolve(outcome);
    expect(await running({ exec: { command: ['sh', '-c', 'exit 5'] } }, { exec })).toEqual({
      ok: false,
      ...brief,
      message: `Exec lifecycle hook ([sh -c exit 5]) ${IN_POD} ${error}`,
    });
  });
});

describe('an HTTP hook', () => {
  it.each([200, 304, 404, 500])('is content with any answer: %i', async (status) => {
    const seen: IncomingMessage[] = [];
    const port = await httpServer((request, response) => {
      seen.push(request);
      response.writeHead(status).end();
    });
    expect(await running({ httpGet: { path: '/stop?now', port } })).toEqual({ ok: true });
    expect(seen.map(({ url }) => url)).toEqual(['/stop?now']);
    expect(seen[0]?.headers['user-agent']).toBe('kube-lifecycle/1.36');
  });

  it('is content with an answer that breaks off', async () => {
    const port = await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    expect(await running({ httpGet: { port } })).toEqual({ ok: true });
  });

  it('fails when it cannot be delivered', async () => {
    const port = await closedPort();
    const error = `Get "http://127.0.0.1:${port}/stop": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(await running({ httpGet: { path: '/stop', port } })).toEqual({
      ok: false,
      message: `HTTP lifecycle hook (/stop) ${IN_POD} ${error}`,
      output: error,
    });
  });

  it('fails when its port has no number', async () => {
    expect(await running({ httpGet: { path: '/', port: 'web' } })).toEqual({
      ok: false,
      message: `HTTP lifecycle hook (/) ${IN_POD} strconv.Atoi: parsing "web": invalid syntax`,
      output: 'strconv.Atoi: parsing "web": invalid syntax',
    });
  });

  it('waits as long as the server does, until its container has ended', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    let came: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (came = resolve));
    const port = await httpServer(() => came());
    const outcome = running({ httpGet: { path: '/', port } }, { clock, signal: controller.signal });
    await arrival;
    expect(clock.alarmCount).toBe(0);
    controller.abort();
    const error = `Get "http://127.0.0.1:${port}/": context canceled`;
    expect(await outcome).toEqual({ ok: false, message: `HTTP lifecycle hook (/) ${IN_POD} ${error}`, output: error });
  });
});

describe('an HTTPS hook', () => {
  const httpHeaders = [
    { name: 'authorization', value: 'secret' },
    { name: 'X-A', value: 'one' },
  ];

  it('that reaches a server without TLS is sent again without, and without its secret', async () => {
    const seen: IncomingMessage[] = [];
    const told: string[] = [];
    const port = await httpServer((request, response) => {
      seen.push(request);
      response.end();
    });
    const outcome = await running(
      { httpGet: { path: '/stop', port, scheme: 'HTTPS', httpHeaders } },
      { onFallback: (host) => told.push(host) },
    );
    expect(outcome).toEqual({ ok: true });
    expect(seen.map(({ headers }) => [headers.authorization, headers['x-a']])).toEqual([[undefined, 'one']]);
    expect(told.map((host) => lifecycleHttpFallback('main', host).message)).toEqual([
      `request to HTTPS lifecycle hook 127.0.0.1:${port} got HTTP response, retry with HTTP succeeded`,
    ]);
  });

  it('fails with its first error when that does not help either', async () => {
    let connections = 0;
    const told: string[] = [];
    const port = await tcpServer((socket) => {
      if (++connections > 1) socket.end();
      else socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const outcome = await running(
      { httpGet: { path: '/', port, scheme: 'HTTPS' } },
      { onFallback: (host) => told.push(host) },
    );
    const error = `Get "https://127.0.0.1:${port}/": http: server gave HTTP response to HTTPS client`;
    expect(outcome).toEqual({ ok: false, message: `HTTP lifecycle hook (/) ${IN_POD} ${error}`, output: error });
    expect({ connections, told }).toEqual({ connections: 2, told: [] });
  });
});

describe('a sleep hook', () => {
  it.each([0, 3])('sleeps for %i s', async (seconds) => {
    const clock = new ManualClock();
    let doneAtMs: number | undefined;
    const outcome = running({ sleep: { seconds } }, { clock });
    void outcome.then(() => (doneAtMs = clock.now().monotonicMs));
    await clock.run(10_000);
    expect(await outcome).toEqual({ ok: true });
    expect(doneAtMs).toBe(seconds * 1000);
  });

  it('fails when its container ends before', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const outcome = running({ sleep: { seconds: 60 } }, { clock, signal: controller.signal });
    await clock.run(1000);
    controller.abort();
    expect(await outcome).toEqual({
      ok: false,
      message: `Sleep lifecycle hook (60) ${IN_POD} container terminated before sleep hook finished`,
      output: 'container terminated before sleep hook finished',
    });
    expect(clock.alarmCount).toBe(0);
  });
});

describe('a hook that kubelet cannot run', () => {
  it.each([
    { port: 8080, shown: '{0 8080 }' },
    { port: 'web', shown: '{1 0 web}' },
  ])('says what it was: $shown', async ({ port, shown }) => {
    const message =
      'Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,' +
      `TCPSocket:&TCPSocketAction{Port:${shown},Host:db,},Sleep:nil,}`;
    expect(await running({ tcpSocket: { port, host: 'db' } })).toEqual({ ok: false, message, output: message });
  });
});
