import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AttachServer } from '../../../src/agent/attach/attach-server.ts';
import { type AgentMessage, encodeFrame, type Frame, FrameReader } from '../../../src/agent/attach/frames.ts';
import { socketAddress } from '../../../src/agent/attach/socket-address.ts';
import { SystemClock } from '../../../src/clock.ts';
import { newPod } from '../../simulation/pod-simulation.ts';

const pod = newPod({ containers: [{ name: 'main' }] });
const instance = { id: 'u1/debug/0', container: 'debug', attempt: 0 };
const quiet = { input: undefined, terminal: undefined, holdOutput: () => undefined };
const running = { pid: 1, startedAt: { monotonicMs: 0, wallMs: 0 }, signal: () => {}, kill: () => {}, streams: quiet };

let folder: string;
let socket: string;
let server: AttachServer;
const trouble: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-attach-'));
  // Far beyond what the address of a socket may hold.
  socket = path.join(folder, 'd'.repeat(120), 'attach.sock');
  mkdirSync(path.dirname(socket));
  const onTrouble = ({ message }: Error): void => void trouble.push(message);
  server = new AttachServer({ clock: new SystemClock(), socketOf: () => socket, onTrouble });
});

afterEach(async () => {
  await server.close(pod);
  rmSync(folder, { recursive: true });
});

/** Sends bytes; resolves with what was answered until the other side closed the connection. */
function talk(bytes: Buffer, onFrame: (frame: Frame<AgentMessage>) => void = () => {}): Promise<Frame<AgentMessage>[]> {
  const { address, release } = socketAddress(socket);
  const answered: Frame<AgentMessage>[] = [];
  const reader = new FrameReader<AgentMessage>();
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
  encodeFrame({ kind: 'message', message: { type: 'attach', container, stdin: false } });

it.runIf(process.platform === 'linux')('serves a container at a path of any length, for the user alone', async () => {
  await server.expect(pod, { name: 'debug' }, instance);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  server.started(instance, running);
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

it.runIf(process.platform === 'linux')('refuses what does not run, and hangs up on who speaks otherwise', async () => {
  await server.expect(pod, { name: 'debug' }, instance);
  const refused = [{ kind: 'message', message: { type: 'refused' } }];
  expect(await talk(attach('debug'))).toEqual(refused);
  server.started(instance, running);
  expect(await talk(attach('main'))).toEqual(refused);
  expect(await talk(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual([]);
  expect(await talk(encodeFrame({ kind: 'message', message: { type: 'stdinEnd' } }))).toEqual([]);
});

it('says when there can be no socket, and goes on', async () => {
  rmSync(path.dirname(socket), { recursive: true });
  await server.expect(pod, { name: 'debug' }, instance);
  expect(trouble.at(-1)).toMatch(/^nobody can attach to containers of pod "web": /);
  server.started(instance, running);
  server.output(instance, 'stdout', Buffer.from('hello'));
  server.exited(instance, 0);
});
