import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AttachServer } from '../../../src/kubelet/attach/attach-server.ts';
import {
  type AgentMessage,
  encodeAttachFrame,
  type AttachFrame,
  AttachFrameReader,
} from '../../../src/kubelet/attach/frames.ts';
import { socketAddress } from '../../../src/kubelet/attach/socket-address.ts';
import { SystemClock } from '../../../src/clock.ts';
import type { LiveInstance } from '../../../src/kubelet/base/instance.ts';
import type { ExecLaunch, ExecStart, TerminalSize } from '../../../src/runtime/base/runtime.ts';
import { newPod } from '../../simulation/new-pod.ts';
import { PATIENT } from '../../patience.ts';
import { needs } from '../../needs.ts';

const pod = newPod({ containers: [{ name: 'main' }] });
const instance = { id: 'u1/debug/0', container: 'debug', attempt: 0 };
const container = { name: 'debug' };
const quiet = { input: undefined, terminal: undefined, holdOutput: () => undefined };
const startedAt = { monotonicMs: 0, wallMs: 0 };
const live: LiveInstance = {
  ref: instance,
  launch: { argv: ['sh'], env: { COLOR: 'red' }, cwd: '/', stdin: false },
  running: { pid: 1, startedAt, signal: () => false, kill: () => {}, streams: quiet },
  streams: quiet,
  ended: new AbortController(),
  postStart: new AbortController(),
  hooks: new Set(),
};

/** A command that the test controls. */
class Command {
  readonly told: string[] = [];
  launch: ExecLaunch | undefined;

  readonly runtime = {
    start: () => Promise.reject(new Error('not played')),
    exec: () => Promise.reject(new Error('not played')),
    startExec: async (launch: ExecLaunch): Promise<ExecStart> => {
      this.launch = launch;
      const input = {
        write: async (chunk: Buffer) => void this.told.push(chunk.toString()),
        end: () => void this.told.push('end'),
      };
      const terminal = { resize: ({ columns, rows }: TerminalSize) => void this.told.push(`${columns}x${rows}`) };
      const streams = { input, terminal: launch.tty ? terminal : undefined, holdOutput: () => undefined };
      const kill = (): void => void this.told.push('kill');
      if (launch.argv[0] === 'nosuch') return { ok: false, error: 'no such thing' };
      return { ok: true, command: { streams, kill }, notice: undefined };
    },
  };
}

let folder: string;
let socket: string;
let server: AttachServer;
let command: Command;
const trouble: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-attach-'));
  // Longer than the address of a socket may be.
  socket = path.join(folder, 'd'.repeat(120), 'attach.sock');
  mkdirSync(path.dirname(socket));
  const onTrouble = ({ message }: Error): void => void trouble.push(message);
  command = new Command();
  const { runtime } = command;
  server = new AttachServer({ clock: new SystemClock(), runtime, socketOf: () => socket, onTrouble });
});

afterEach(async () => {
  await server.close(pod);
  rmSync(folder, { recursive: true });
});

/** Sends bytes. Resolves with the answer, when the other side has closed the connection. */
function talk(
  bytes: Buffer,
  onFrame: (frame: AttachFrame<AgentMessage>) => void = () => {},
): Promise<AttachFrame<AgentMessage>[]> {
  const { address, release } = socketAddress(socket);
  const answered: AttachFrame<AgentMessage>[] = [];
  const reader = new AttachFrameReader<AgentMessage>();
  return new Promise((resolve, reject) => {
    const connection = connect(address, () => {
      release();
      connection.write(bytes);
    });
    connection.on('data', (piece) => {
      for (const frame of reader.read(piece)) {
        answered.push(frame);
        onFrame(frame);
      }
    });
    connection.once('error', reject);
    connection.once('close', () => resolve(answered));
  });
}

const attach = (container: string): Buffer =>
  encodeAttachFrame({ kind: 'message', message: { type: 'attach', container, stdin: false } });

it('serves a container at a path of any length, for the user alone', needs('Linux'), async () => {
  await server.expect(pod, { name: 'debug' }, instance);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  server.started(pod, container, live);
  server.output(instance, 'stdout', Buffer.from('hello'));
  const answered = await talk(attach('debug'), ({ kind }) => kind === 'stdout' && server.exited(instance, 3));
  expect(answered).toEqual([
    { kind: 'message', message: { type: 'attached', hasTerminal: false } },
    { kind: 'stdout', chunk: Buffer.from('hello') },
    { kind: 'message', message: { type: 'exit', exitCode: 3 } },
  ]);
  await server.close(pod);
  expect(existsSync(socket)).toBe(false);
});

it('refuses what does not run, and hangs up on who speaks otherwise', needs('Linux'), async () => {
  await server.expect(pod, { name: 'debug' }, instance);
  const refused = [{ kind: 'message', message: { type: 'refused' } }];
  expect(await talk(attach('debug'))).toEqual(refused);
  server.started(pod, container, live);
  expect(await talk(attach('main'))).toEqual(refused);
  expect(await talk(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual([]);
  expect(await talk(encodeAttachFrame({ kind: 'message', message: { type: 'stdinEnd' } }))).toEqual([]);
});

describe('a command in a container', needs('Linux'), () => {
  const exec = (argv: readonly [string, ...string[]], tty: boolean): Buffer =>
    encodeAttachFrame({ kind: 'message', message: { type: 'exec', container: 'debug', argv, stdin: true, tty } });

  it('is run with what the container has, and connected with its client', async () => {
    server.started(pod, container, live);
    const input = [
      encodeAttachFrame({ kind: 'message', message: { type: 'resize', columns: 70, rows: 10 } }),
      encodeAttachFrame({ kind: 'stdin', chunk: Buffer.from('typed') }),
      encodeAttachFrame({ kind: 'message', message: { type: 'stdinEnd' } }),
    ];
    const answered = await talk(Buffer.concat([exec(['sh', '-l'], true), ...input]), ({ kind, ...frame }) => {
      if (kind === 'message' && 'message' in frame && frame.message.type === 'attached') {
        command.launch?.onOutput('stdout', Buffer.from('hello'));
      } else if (kind === 'stdout') command.launch?.onExit(3);
    });
    expect(answered).toEqual([
      { kind: 'message', message: { type: 'attached', hasTerminal: true } },
      { kind: 'stdout', chunk: Buffer.from('hello') },
      { kind: 'message', message: { type: 'exit', exitCode: 3 } },
    ]);
    expect(command.told).toEqual(['70x10', 'typed', 'end']);
    expect(command.launch).toMatchObject({ id: 'u1/debug/0', argv: ['sh', '-l'], cwd: '/' });
    expect(command.launch?.env).toEqual({ COLOR: 'red', TERM: 'xterm' });
  });

  it('is killed when its client is gone', async () => {
    server.started(pod, container, live);
    const { address, release } = socketAddress(socket);
    const connection = connect(address, () => connection.write(exec(['sleep', '9'], false)));
    await once(connection, 'data');
    release();
    connection.destroy();
    await vi.waitFor(() => expect(command.told).toEqual(['kill']), PATIENT);
  });

  it('that cannot be started says why; where no container runs, none is', async () => {
    expect(await talk(exec(['sh'], false)).catch(() => 'nobody listens')).toBe('nobody listens');
    server.started(pod, container, live);
    const failed = { kind: 'message', message: { type: 'failed', error: 'no such thing' } };
    expect(await talk(exec(['nosuch'], false))).toEqual([failed]);
    server.exited(instance, 0);
    expect(await talk(exec(['sh'], false))).toEqual([{ kind: 'message', message: { type: 'refused' } }]);
  });
});

it('says when there can be no socket, and continues', async () => {
  mkdirSync(socket);
  await server.expect(pod, { name: 'debug' }, instance);
  expect(trouble.at(-1)).toMatch(/^clients cannot reach the containers of pod "web": /);
  server.started(pod, container, live);
  server.output(instance, 'stdout', Buffer.from('hello'));
  server.exited(instance, 0);
});

it('says nothing of a Pod that was removed while it started', async () => {
  trouble.length = 0;
  rmSync(path.dirname(socket), { recursive: true });
  await server.expect(pod, { name: 'debug' }, instance);
  server.started(pod, container, live);
  server.exited(instance, 0);
  expect(trouble).toEqual([]);
});

it('the address of a socket whose folder is gone is refused in a sentence', () => {
  expect(() => socketAddress('/nowhere/at/all/socket')).toThrow(
    expect.objectContaining({ name: 'PodrunError', message: 'the folder /nowhere/at/all is gone' }),
  );
});
