import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { get, createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../src/clock.ts';
import {
  caught,
  guarded,
  guardedProcess,
  inBackground,
  keepAlive,
  mustKeepRunning,
  onDefect,
  reportTrouble,
} from '../src/defects.ts';
import { PATIENT } from './patience.ts';

const broken = new Error('broken');
const fails = (): never => {
  throw broken;
};

let told: unknown[];
let former: ReturnType<typeof onDefect>;

beforeEach(() => {
  told = [];
  former = onDefect((defect) => void told.push(defect));
});

afterEach(() => {
  onDefect(former);
});

/** Listens, until the test ends. Answers the port. */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it('a listener that throws ends its connection, and the server takes the next one', async () => {
  const server = guarded(
    createServer((socket) =>
      socket.on('data', (piece) => {
        if (piece.toString() === 'bad') fails();
        socket.end('fine');
      }),
    ),
  );
  const port = await listening(server);
  const bad = connect(port, '127.0.0.1');
  bad.write('bad');
  bad.resume();
  await once(bad, 'close');
  const good = connect(port, '127.0.0.1');
  good.write('good');
  const [answer] = (await once(good, 'data')) as [Buffer];
  expect(answer.toString()).toBe('fine');
  expect(told).toEqual([broken]);
});

it('a server whose listener for connections throws keeps serving', async () => {
  let count = 0;
  const server = guarded(
    createServer((socket) => {
      count += 1;
      if (count === 1) fails();
      socket.end('fine');
    }),
  );
  const port = await listening(server);
  const first = connect(port, '127.0.0.1').resume();
  await once(first, 'close');
  const [answer] = (await once(connect(port, '127.0.0.1'), 'data')) as [Buffer];
  expect(answer.toString()).toBe('fine');
  expect(told).toEqual([broken]);
});

it('a request whose listener throws gets a 500, or ends when its response has begun', async () => {
  const server = guarded(
    createHttpServer(({ url }, response) => {
      if (url === '/late') response.write('a part');
      fails();
    }),
  );
  const port = await listening(server);
  const [early] = (await once(get({ port, path: '/early' }), 'response')) as [IncomingMessage];
  expect(early.statusCode).toBe(500);
  early.resume();
  await expect(once(get({ port, path: '/late' }), 'response')).rejects.toThrow('socket hang up');
  expect(told).toEqual([broken, broken]);
});

it('the reset of a connection without a listener for errors is no defect, and ends it', async () => {
  const server = guarded(createServer());
  const port = await listening(server);
  const client = connect(port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [ReturnType<typeof connect>];
  accepted.resume();
  client.resetAndDestroy();
  await vi.waitUntil(() => accepted.destroyed, PATIENT);
  // The server itself: too many open files.
  server.emit('error', new Error('accept EMFILE'));
  expect(server.listening).toBe(true);
  expect(told).toEqual([]);
});

it('a connection ends with the promise that serves it', async () => {
  const server = guarded(createServer((socket) => inBackground(Promise.reject(broken), socket)));
  const client = connect(await listening(server), '127.0.0.1').resume();
  await once(client, 'close');
  expect(told).toEqual([broken]);
});

it('the pipe of a process stays open after a listener has thrown', () => {
  const pipe = new PassThrough();
  const child = guardedProcess(Object.assign(new EventEmitter(), { stdio: [null, pipe] }));
  const seen: string[] = [];
  pipe.on('data', (piece: Buffer) => {
    seen.push(piece.toString());
    if (seen.length === 1) fails();
  });
  pipe.write('one');
  pipe.write('two');
  child.emit('error', new Error('kill EPERM'));
  expect(seen).toEqual(['one', 'two']);
  expect(told).toEqual([broken]);
});

it('a promise that is not awaited, a call of Node.js and a timer report their errors', async () => {
  const clock = new SystemClock();
  inBackground(Promise.reject(broken));
  caught(fails)();
  clock.wakeAt(clock.now().monotonicMs, fails);
  await vi.waitUntil(() => told.length === 3, PATIENT);
  expect(told).toEqual([broken, broken, broken]);
});

it('the process stays alive while something keeps it alive', () => {
  const before = mustKeepRunning();
  const [one, other] = [keepAlive(), keepAlive()];
  one.close();
  one.close();
  expect(mustKeepRunning()).toBe(true);
  other.close();
  expect(mustKeepRunning()).toBe(before);
});

it('a process of the library gets a warning of Node.js, with the place of the defect, and continues', () => {
  const program = `
    import ${JSON.stringify(path.resolve('dist/library/index.js'))};
    process.once('warning', ({ name, message, detail }) => console.log(JSON.stringify({ name, message, detail })));
    globalThis[Symbol.for('podrun.defects')].tell(new TypeError('broken'));
    setImmediate(() => console.log('still runs'));`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(stdout).toContain('still runs');
  expect(stdout).toContain('"name":"PodrunDefect","message":"podrun has a defect, and continues: broken"');
  expect(stdout).toContain('TypeError: broken');
  expect(status).toBe(0);
});

it('an error that a file or a user causes is trouble, and one of the language is a defect', () => {
  const full = Object.assign(new TypeError('no space'), { code: 'ENOSPC' });
  const defect = new TypeError('x is not a function');
  const reported: Error[] = [];
  for (const error of [broken, full, defect]) reportTrouble(error, (trouble) => reported.push(trouble));
  expect(reported).toEqual([broken, full]);
  expect(told).toEqual([defect]);
});
