import { describe, expect, it } from 'vitest';
import { Attachable, type AttachedClient } from '../../../src/kubelet/attach/attachable.ts';
import type { AgentMessage, AttachFrame } from '../../../src/kubelet/attach/frames.ts';
import type { ProcessStreams } from '../../../src/runtime/base/runtime.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

class Client implements AttachedClient {
  readonly seen: string[] = [];
  isBehind = false;

  send(frame: AttachFrame<AgentMessage>): void {
    this.seen.push(frame.kind === 'message' ? frame.message.type : `${frame.kind} ${frame.chunk.toString()}`);
  }

  end(): void {
    this.seen.push('end');
  }
}

function started({ isTerminal = false, stdinOnce = false, keepsEarly = true } = {}) {
  const clock = new ManualClock();
  const attachable = new Attachable({ clock, stdinOnce, keepsEarly });
  const done: string[] = [];
  const state = { isHeld: false, isShown: true };
  const streams: ProcessStreams = {
    input: {
      write: async (chunk) => void done.push(`write ${chunk.toString()}`),
      end: () => void done.push('end'),
    },
    terminal: isTerminal ? { resize: ({ columns, rows }) => void done.push(`${columns}x${rows}`) } : undefined,
    holdOutput: (held) => (state.isHeld = held),
    showOutput: (isShown) => (state.isShown = isShown),
  };
  attachable.started(streams);
  return { clock, attachable, done, state };
}

const print = (attachable: Attachable, text: string): void => attachable.output('stdout', Buffer.from(text));
const MEGABYTE = 'x'.repeat(1024 * 1024);

describe('who attaches', () => {
  it('is a client that sees the output: without any, it need not be passed on', () => {
    const { attachable, state } = started({ keepsEarly: false });
    expect(state.isShown).toBe(false);
    const client = new Client();
    attachable.attach(client);
    expect(state.isShown).toBe(true);
    attachable.detach(client, false);
    expect(state.isShown).toBe(false);
  });

  it('may be on the way: what comes before is wanted, too', () => {
    const { attachable, state } = started();
    expect(state.isShown).toBe(true);
    const client = new Client();
    attachable.attach(client);
    expect(state.isShown).toBe(true);
    attachable.detach(client, false);
    expect(state.isShown).toBe(false);
  });

  it('first sees all that was written before, the next one only what comes', () => {
    const { attachable } = started();
    print(attachable, 'early');
    const [first, second] = [new Client(), new Client()];
    attachable.attach(first);
    attachable.attach(second);
    attachable.output('stderr', Buffer.from('late'));
    attachable.exited(0);
    expect(first.seen).toEqual(['attached', 'stdout early', 'stderr late', 'exit', 'end']);
    expect(second.seen).toEqual(['attached', 'stderr late', 'exit', 'end']);
  });

  it('first sees early output unchanged, although its memory is for the next piece', () => {
    const { attachable } = started();
    const piece = Buffer.from('early');
    attachable.output('stdout', piece);
    piece.fill('x');
    const client = new Client();
    attachable.attach(client);
    expect(client.seen).toEqual(['attached', 'stdout early']);
  });

  it('first sees all of a container that has ended, and no client after that', () => {
    const { attachable } = started();
    print(attachable, 'early');
    expect(attachable.exited(3)).toBe(true);
    const client = new Client();
    attachable.attach(client);
    expect(client.seen).toEqual(['attached', 'stdout early', 'exit', 'end']);
    expect(attachable.attach(new Client())).toBe(false);
  });

  it('sees only what comes where no client was expected, and that container waits for none', () => {
    const { attachable, state } = started({ keepsEarly: false });
    print(attachable, MEGABYTE);
    print(attachable, 'early');
    expect(state.isHeld).toBe(false);
    const client = new Client();
    attachable.attach(client);
    print(attachable, 'late');
    expect(attachable.exited(0)).toBe(false);
    expect(client.seen).toEqual(['attached', 'stdout late', 'exit', 'end']);
  });

  it('is refused by a container that has not started', () => {
    const attachable = new Attachable({ clock: new ManualClock(), stdinOnce: false, keepsEarly: true });
    expect(attachable.attach(new Client())).toBe(false);
  });

  it('makes the container wait while it is behind', () => {
    const { attachable, state } = started();
    const client = new Client();
    attachable.attach(client);
    client.isBehind = true;
    print(attachable, 'a');
    expect(state.isHeld).toBe(true);
    client.isBehind = false;
    attachable.caughtUp();
    expect(state.isHeld).toBe(false);
    client.isBehind = true;
    print(attachable, 'b');
    attachable.detach(client, false);
    expect(state.isHeld).toBe(false);
  });
});

describe('a container that writes a lot before a client comes', () => {
  it('waits for a client, which then misses nothing', async () => {
    const { clock, attachable, state } = started();
    print(attachable, MEGABYTE);
    expect(state.isHeld).toBe(false);
    print(attachable, 'more');
    expect(state.isHeld).toBe(true);
    await clock.run(1999);
    const client = new Client();
    attachable.attach(client);
    expect(client.seen).toEqual(['attached', `stdout ${MEGABYTE}`, 'stdout more']);
    expect([state.isHeld, clock.alarmCount]).toEqual([false, 0]);
  });

  it('continues when no client comes, and forgets the oldest', async () => {
    const { clock, attachable, state } = started();
    print(attachable, MEGABYTE);
    print(attachable, 'more');
    await clock.run(2000);
    expect(state.isHeld).toBe(false);
    print(attachable, 'and more');
    expect(state.isHeld).toBe(false);
    const client = new Client();
    attachable.attach(client);
    expect(client.seen).toEqual(['attached', 'stdout more', 'stdout and more']);
  });
});

describe('the input', () => {
  const attachWith = async (options: Parameters<typeof started>[0], message: 'stdinEnd' | undefined) => {
    const { attachable, done } = started(options);
    const client = new Client();
    attachable.attach(client);
    await attachable.take({ kind: 'stdin', chunk: Buffer.from('typed') }, client);
    if (message === undefined) attachable.detach(client, true);
    else await attachable.take({ kind: 'message', message: { type: message } }, client);
    return { done, seen: client.seen.slice(1) };
  };
  const kept = { keepsEarly: false };
  const left = ['detached', 'end'];

  it.each([
    ['keeps running when a client says that it has no more, and that client leaves', kept, 'stdinEnd', [], left],
    ['ends with the first client where that was asked for', { stdinOnce: true, ...kept }, 'stdinEnd', ['end'], []],
    ['ends then also when the client is gone', { stdinOnce: true, ...kept }, undefined, ['end'], []],
    ['of a terminal stays open', { isTerminal: true, stdinOnce: true, ...kept }, 'stdinEnd', [], left],
    ['of a terminal ends with the one it was opened for', { isTerminal: true }, 'stdinEnd', ['end'], []],
    ['of a terminal stays when a client is gone', { isTerminal: true, stdinOnce: true }, undefined, [], []],
  ] as const)('%s', async (_, options, message, done, seen) => {
    expect(await attachWith(options, message)).toEqual({ done: ['write typed', ...done], seen });
  });

  it('of a terminal comes with a size, when it is one', async () => {
    const { attachable, done } = started({ isTerminal: true });
    for (const [columns, rows] of [
      [80, 24],
      [0, 24],
      [80, -1],
      [1.5, 2],
      [65_536, 2],
    ] as const) {
      await attachable.take({ kind: 'message', message: { type: 'resize', columns, rows } }, new Client());
    }
    expect(done).toEqual(['80x24']);
  });
});
