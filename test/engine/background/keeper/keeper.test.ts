import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Keeper } from '../../../../src/engine/background/keeper/keeper.ts';
import { KeptRuntime } from '../../../../src/engine/background/keeper/kept-runtime.ts';
import type { KeptContainer } from '../../../../src/engine/background/keeper/protocol.ts';
import { SystemClock } from '../../../../src/clock.ts';
import type {
  ContainerLaunch,
  ExecOutcome,
  ExecRequest,
  ProcessExit,
  Runtime,
} from '../../../../src/runtime/base/runtime.ts';
import { PATIENT } from '../../../patience.ts';

const clock = new SystemClock();
const LAUNCH = { argv: ['program'], env: { 'db.password': 's' }, cwd: '/', stdin: true } as const;
const listeners = () => ({ onOutput: vi.fn(), onExit: vi.fn() });

/** A runtime whose containers the test controls. */
class Hands implements Runtime {
  readonly launches = new Map<string, ContainerLaunch>();
  readonly done: string[] = [];
  exec = vi.fn<(request: ExecRequest) => Promise<ExecOutcome>>();
  startExec = vi.fn<Runtime['startExec']>();

  start(launch: ContainerLaunch): ReturnType<Runtime['start']> {
    if (launch.argv[0] === 'missing') return Promise.resolve({ ok: false, error: 'no such file', at: clock.now() });
    this.launches.set(launch.id, launch);
    const note = (what: string) => void this.done.push(`${launch.id} ${what}`);
    return Promise.resolve({
      ok: true,
      notice: 'a notice',
      container: {
        pid: 4711,
        startedAt: { monotonicMs: 1.5, wallMs: 2.5 },
        cgroups: ['/a'],
        signal: (name) => {
          note(name);
          return name === 'SIGTERM';
        },
        kill: () => note('kill'),
        streams: {
          input: { write: async (chunk) => note(`input ${chunk.toString()}`), end: () => note('end') },
          terminal: undefined,
          holdOutput: (held) => held && note('hold'),
        },
      },
    });
  }

  print(id: string, text: string): void {
    this.launches.get(id)?.onOutput('stdout', Buffer.from(text));
  }

  exit(id: string, exitCode: number): void {
    const exit: ProcessExit = {
      exitCode,
      signal: undefined,
      at: clock.now(),
      oomKilled: true,
      swept: Promise.resolve(),
    };
    this.launches.get(id)?.onExit(exit);
  }
}

let folder = '';
let hands: Hands;
let log: string[];
let recorded: KeptContainer[];
let onDone: ReturnType<typeof vi.fn<() => void>>;
const open: KeptRuntime[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-keeper-'));
  hands = new Hands();
  log = [];
  recorded = [];
  onDone = vi.fn<() => void>();
  await new Keeper({
    runtime: hands,
    clock,
    socket: path.join(folder, 'sock'),
    openLog: ({ container, attempt }) => ({
      write: (stream, chunk) => void log.push(`${container} ${attempt} ${stream} ${chunk.toString()}`),
      close: () => void log.push('closed'),
    }),
    onLoss: () => undefined,
    isStored: () => true,
    recordExit: (container) => void recorded.push(container),
    onDone,
  }).listen();
});

afterEach(async () => {
  for (const id of hands.launches.keys()) hands.exit(id, 0);
  await Promise.all(open.splice(0).map((runtime) => runtime.close()));
  rmSync(folder, { recursive: true });
});

async function agent(): Promise<{ runtime: KeptRuntime; kept: readonly KeptContainer[] | undefined }> {
  const runtime = new KeptRuntime({
    clock,
    socket: path.join(folder, 'sock'),
    features: undefined,
    startKeeper: () => Promise.reject(new Error('there is one')),
    logPlaceOf: (id) => {
      const [uid = '', container = '', attempt] = id.split('/');
      return { namespace: 'default', name: 'web', uid, container, attempt: Number(attempt) };
    },
    endRemains: () => Promise.resolve(),
    onTrouble: () => undefined,
  });
  const kept = await runtime.findKept();
  open.splice(0);
  open.push(runtime);
  return { runtime, kept };
}

describe('a keeper', () => {
  it('starts a container as it was asked to, and tells what it is, prints and ends with', async () => {
    const { runtime, kept } = await agent();
    expect(kept).toEqual([]);
    const seen = listeners();
    const outcome = await runtime.start({ ...LAUNCH, id: 'u/main/0', ...seen });
    expect(hands.launches.get('u/main/0')).toMatchObject(LAUNCH);
    expect(outcome).toMatchObject({
      ok: true,
      notice: 'a notice',
      container: {
        pid: 4711,
        startedAt: { monotonicMs: 1.5, wallMs: 2.5 },
        cgroups: ['/a'],
        streams: { terminal: undefined },
      },
    });
    hands.print('u/main/0', 'hello');
    hands.exit('u/main/0', 3);
    await vi.waitUntil(() => seen.onExit.mock.calls.length > 0, PATIENT);
    expect(seen.onOutput).toHaveBeenCalledExactlyOnceWith('stdout', Buffer.from('hello'));
    expect(seen.onExit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ exitCode: 3, oomKilled: true }));
    expect(log).toEqual(['main 0 stdout hello', 'closed']);
    expect(recorded).toMatchObject([{ id: 'u/main/0', exit: { exitCode: 3 } }]);
    expect(JSON.stringify(recorded)).not.toContain('db.password');
  });

  it('tells why one could not be started', async () => {
    const { runtime } = await agent();
    const outcome = await runtime.start({ ...LAUNCH, argv: ['missing'], id: 'u/main/0', ...listeners() });
    expect(outcome).toMatchObject({ ok: false, error: 'no such file' });
  });

  it('passes on signals and input, and tells when more may come', async () => {
    const { runtime } = await agent();
    const outcome = await runtime.start({ ...LAUNCH, id: 'u/main/0', ...listeners() });
    if (!outcome.ok) throw new Error(outcome.error);
    const { container } = outcome;
    await container.streams?.input?.write(Buffer.from('typed'));
    container.streams?.input?.end();
    expect(await container.signalLater?.('SIGTERM')).toBe(true);
    expect(await container.signalLater?.('SIGINT')).toBe(false);
    container.kill();
    await vi.waitUntil(() => hands.done.length === 5, PATIENT);
    expect(hands.done).toEqual(['input typed', 'end', 'SIGTERM', 'SIGINT', 'kill'].map((what) => `u/main/0 ${what}`));
  });

  it('keeps what a container prints to itself while no client sees it, and in its log always', async () => {
    const { runtime } = await agent();
    const seen = listeners();
    const outcome = await runtime.start({ ...LAUNCH, id: 'u/main/0', ...seen });
    const streams = outcome.ok ? outcome.container.streams : undefined;
    const answered = (): Promise<void> | undefined => streams?.input?.write(Buffer.from('typed'));
    streams?.showOutput?.(false);
    await answered();
    hands.print('u/main/0', 'unseen');
    streams?.showOutput?.(true);
    await answered();
    hands.print('u/main/0', 'seen');
    await vi.waitUntil(() => seen.onOutput.mock.calls.length > 0, PATIENT);
    expect(seen.onOutput).toHaveBeenCalledExactlyOnceWith('stdout', Buffer.from('seen'));
    expect(log).toEqual(['main 0 stdout unseen', 'main 0 stdout seen']);
  });

  it('sends the next agent everything until that says what it wants', async () => {
    const first = await agent();
    const outcome = await first.runtime.start({ ...LAUNCH, id: 'u/main/0', ...listeners() });
    if (outcome.ok) outcome.container.streams?.showOutput?.(false);
    const second = await agent();
    const seen = listeners();
    second.runtime.adopt('u/main/0', seen);
    hands.print('u/main/0', 'hello');
    await vi.waitUntil(() => seen.onOutput.mock.calls.length > 0, PATIENT);
    expect(seen.onOutput).toHaveBeenCalledExactlyOnceWith('stdout', Buffer.from('hello'));
  });

  it('has the next agent adopt what runs, and hear of what ended without it', async () => {
    const first = await agent();
    await first.runtime.start({ ...LAUNCH, id: 'u/main/0', ...listeners() });
    await first.runtime.start({ ...LAUNCH, id: 'u/other/2', ...listeners() });
    const second = await agent();
    hands.print('u/main/0', 'between');
    // The container exits after the greeting and before its adoption.
    hands.exit('u/other/2', 7);
    await vi.waitUntil(() => recorded.length === 1, PATIENT);
    const [main, other] = [listeners(), listeners()];
    expect(second.kept?.map(({ id }) => id)).toEqual(['u/main/0', 'u/other/2']);
    expect(second.runtime.adopt('u/main/0', main)?.launch).toMatchObject({ ...LAUNCH, id: 'u/main/0' });
    second.runtime.adopt('u/other/2', other);
    expect(second.runtime.adopt('u/gone/0', listeners())).toBeUndefined();
    await vi.waitUntil(() => other.onExit.mock.calls.length > 0, PATIENT);
    expect(other.onExit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ exitCode: 7 }));
    hands.exit('u/main/0', 0);
    await vi.waitUntil(() => main.onExit.mock.calls.length > 0, PATIENT);
    expect(log).toContain('main 0 stdout between');
  });

  it('breaks off what an agent has wanted beside the containers when that is gone', async () => {
    const { runtime } = await agent();
    hands.exec.mockImplementation(
      ({ signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ type: 'aborted' }));
        }),
    );
    const request = { id: 'u/main/0', argv: ['probe'] as const, env: {}, cwd: '/', timeoutMs: 1, maxOutputBytes: 1 };
    void runtime.exec(request);
    await vi.waitUntil(() => hands.exec.mock.calls.length > 0, PATIENT);
    const [[asked] = []] = hands.exec.mock.calls;
    expect(asked?.signal?.aborted).toBe(false);
    await agent();
    await vi.waitUntil(() => asked?.signal?.aborted === true, PATIENT);
  });

  it('ends when the agent says that nothing more will come', async () => {
    const { runtime } = await agent();
    open.splice(0);
    await runtime.close();
    expect(onDone).toHaveBeenCalledOnce();
  });
});
