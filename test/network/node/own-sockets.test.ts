import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import type { ProbeOutcome } from '../../../src/lifecycle/probes/probe-attempt.ts';
import { OwnSockets } from '../../../src/network/node/own-sockets.ts';
import { PortOwners } from '../../../src/network/node/port-owners.ts';
import { podWith } from '../../lifecycle/base-objects.ts';
import { needs } from '../../needs.ts';

const ANSWERED: ProbeOutcome = { result: 'success', output: 'hello' };
const POD_IP = '127.93.0.7';
const pod = podWith({}, { name: 'web' });
const { uid } = pod.metadata;
const other = podWith({}, { name: 'other', uid: '7b3d8f6e-0000-4000-8000-000000000002' });

/** Listens, prints the port and the pid, and stays until its input ends. */
const SERVER = `
  const net = require('net');
  const server = net.createServer().listen(+process.argv[1], process.argv[2], () => {
    console.log(server.address().port + ' ' + process.pid);
  });
  process.stdin.resume().on('end', () => process.exit()).on('error', () => process.exit());`;

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly pid: number;
}

/** Starts a server, by a command before it. Its input, and with it the server, ends with the test. */
async function server({
  before = [],
  program = [process.execPath, '-e', SERVER],
  mark,
  host = '0.0.0.0',
  port = 0,
}: {
  readonly before?: readonly string[];
  readonly program?: readonly string[];
  readonly mark?: string;
  readonly host?: string;
  readonly port?: number;
} = {}): Promise<Started> {
  const args = [...before, ...program, String(port), host];
  const env = { ...process.env, PODRUN_CONTAINER_ID: mark };
  const child = spawn(args[0] ?? '', args.slice(1), { env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const { stdout } = child;
    child.stdin?.end();
    // The output ends with the last process that has it.
    if (stdout !== null && !stdout.readableEnded) await once(stdout.resume(), 'end');
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const [found = 0, pid = 0] = line.toString().trim().split(' ').map(Number);
  return { child, port: found, pid };
}

function sockets(): OwnSockets {
  const clock = new SystemClock();
  return new OwnSockets(new PortOwners({ clock, pods: () => [pod, other], workloadOf: () => undefined }));
}

async function judged(
  port: number,
  mains: readonly number[],
  outcome: ProbeOutcome = ANSWERED,
  own: OwnSockets = sockets(),
): Promise<ProbeOutcome> {
  const probe = { tcpSocket: { port } };
  return own.judge({ pod, container: { name: 'main' }, probe, podIP: POD_IP, mains: () => mains }, outcome);
}

const answeredBy = (port: number, who: string): object => ({
  result: 'failure',
  output: `port ${port} is answered by ${who}, which is no process of this Pod`,
});

/** A main process of a container that listens nowhere. */
async function idle(): Promise<number> {
  return (await server({ host: '127.93.0.8', mark: `${uid}/main/0` })).pid;
}

describe('a response of the probed port counts (/proc: Linux)', needs('Linux'), () => {
  it.each([
    ['the main process', {}],
    ['a child', { before: ['sh', '-c', '"$0" "$@" & wait'] }],
    ['a grandchild in a session of its own', { before: ['sh', '-c', 'setsid "$0" "$@" <&0 & wait'] }],
    ['a child without the environment', { before: ['env', '-i'] }],
  ])('when it comes from %s', async (_, options) => {
    const { child, port } = await server({ mark: `${uid}/main/0`, ...options });
    expect(await judged(port, [child.pid ?? 0])).toEqual(ANSWERED);
  });

  it.each([
    ['without a parent and with the mark of the container', ['sh', '-c', 'setsid "$0" "$@" <&0 &']],
    ['without parent, session and environment', ['sh', '-c', 'setsid env -i "$0" "$@" <&0 &']],
  ])('when it comes from a daemon %s', async (_, before) => {
    const main = await idle();
    const { port } = await server({ mark: `${uid}/main/0`, before });
    expect(await judged(port, [main])).toEqual(ANSWERED);
  });

  it('when the socket was passed on to a process of the Pod', async () => {
    const main = await idle();
    const inherited = `require('child_process').spawn('sleep', ['600'], {
      detached: true,
      env: { PODRUN_CONTAINER_ID: '${uid}/main/0' },
      stdio: ['ignore', 'ignore', 'ignore', server._handle.fd],
    })`;
    const code = SERVER.replace('console.log', `globalThis.heir = ${inherited}; console.log`);
    const child = spawn(process.execPath, ['-e', code, '0', '0.0.0.0'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(line.toString().split(' ')[0]);
    const outcome = await judged(port, [main]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const heir = await judged(port, [main]);
    const owners = new PortOwners({ clock: new SystemClock(), pods: () => [], workloadOf: () => undefined });
    const holder = await owners.ofPort(port, '0.0.0.0');
    if (holder !== undefined && 'pid' in holder) process.kill(holder.pid);
    expect([outcome, heir]).toEqual([ANSWERED, ANSWERED]);
  });

  it('also in later probes, until the process has ended', async () => {
    const { child, port } = await server({ mark: `${uid}/main/0` });
    const own = sockets();
    const mains = [child.pid ?? 0];
    expect(await judged(port, mains, ANSWERED, own)).toEqual(ANSWERED);
    expect(
      own.judge(
        { pod, container: { name: 'main' }, probe: { tcpSocket: { port } }, podIP: POD_IP, mains: () => mains },
        ANSWERED,
      ),
    ).toBe(ANSWERED);
    child.stdin?.end();
    await once(child, 'exit');
    const { pid } = await server({ port });
    expect(await judged(port, [await idle()], ANSWERED, own)).toMatchObject(answeredBy(port, `node (pid ${pid})`));
  });
});

describe('a response of the probed port is a failure that names the program (/proc: Linux)', needs('Linux'), () => {
  it('when a program had the port before the Pod began', async () => {
    const { port, pid } = await server();
    const owner = { type: 'program', program: 'node', pid };
    const main = await idle();
    const failure = { ...answeredBy(port, `node (pid ${pid})`), answeredBy: owner };
    expect(await judged(port, [main])).toEqual(failure);
    // An error status and a timeout do not come from the Pod either.
    expect(await judged(port, [main], { result: 'failure', output: '500', answer: { httpStatus: 500 } })).toEqual(
      failure,
    );
    expect(await judged(port, [main], { result: 'failure', output: 'timeout', timedOut: true })).toEqual(failure);
  });

  it('also of a Node.js that has named its main thread', async () => {
    const { port, pid } = await server({ program: [process.execPath, '-e', `process.title = 'MainThread';${SERVER}`] });
    expect(await judged(port, [await idle()])).toMatchObject(answeredBy(port, `node (pid ${pid})`));
  });

  it('when it comes from another Pod', async () => {
    const main = await idle();
    const { port, pid } = await server({ mark: `${other.metadata.uid}/app/0` });
    expect(await judged(port, [main])).toMatchObject(answeredBy(port, `pod/other container app (pid ${pid})`));
  });

  it('until the Pod itself listens, at its own address', async () => {
    const { port, child } = await server();
    const own = sockets();
    const main = await idle();
    expect(await judged(port, [main], ANSWERED, own)).toMatchObject({ result: 'failure' });
    expect(await judged(port, [main], ANSWERED, own)).toMatchObject({ result: 'failure' });
    child.stdin?.end();
    await once(child, 'exit');
    const { pid } = await server({ host: POD_IP, port, mark: `${uid}/main/1` });
    expect(await judged(port, [pid], ANSWERED, own)).toEqual(ANSWERED);
  });
});

/** Listens at a port that others may share (SO_REUSEPORT), prints it, and stays until its input ends. */
const SHARING = `
import os, socket, sys
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
server.bind(('0.0.0.0', int(sys.argv[1])))
server.listen()
print(f'{server.getsockname()[1]} {os.getpid()}', flush=True)
sys.stdin.read()`;

describe('a response of a port that is shared (SO_REUSEPORT)', needs('program python3'), () => {
  it('counts, and names the program that gets a part of the connections', needs('Linux'), async () => {
    const own = await server({ program: ['python3', '-c', SHARING], mark: `${uid}/main/0` });
    expect(await judged(own.port, [own.pid])).toEqual(ANSWERED);
    const { pid } = await server({ program: ['python3', '-c', SHARING], port: own.port });
    const answer = await judged(own.port, [own.pid]);
    expect(answer).toMatchObject({ ...ANSWERED, answeredBy: { type: 'program', pid } });
  });
});

describe('a place of a Service is foreign (/proc: Linux)', needs('Linux'), () => {
  const owners = new PortOwners({ clock: new SystemClock(), pods: () => [pod, other], workloadOf: () => undefined });
  const at = (address: string, port: number) => ({ address, port });

  it('where a program listens at all addresses, unless that is in a Pod', async () => {
    const { port } = await server();
    const own = await server({ mark: `${uid}/main/0` });
    const places = [at('127.96.7.1', port), at('127.96.7.1', own.port)];
    expect(await owners.foreignAt(places)).toEqual([at('127.96.7.1', port)]);
  });

  it('not where podrun itself listens at the address', async () => {
    const { port } = await server({ host: '127.96.7.1' });
    expect(await owners.foreignAt([at('127.96.7.1', port), at('127.96.7.2', port)])).toEqual([]);
  });
});

describe('an outcome stays unchanged (/proc: Linux)', needs('Linux'), () => {
  it.each<[string, ProbeOutcome]>([
    ['a refusal', { result: 'failure', output: 'refused', answer: { errno: 'ECONNREFUSED' } }],
    ['an error', { result: 'error', output: 'gone' }],
  ])('that is %s', async (_, outcome) => {
    const { port } = await server();
    expect(await judged(port, [], outcome)).toBe(outcome);
  });

  it('of another address, which the probe names', async () => {
    const { port } = await server();
    const probe = { tcpSocket: { port, host: '127.0.0.1' } };
    const subject = { pod, container: { name: 'main' }, probe, podIP: POD_IP, mains: () => [] };
    expect(sockets().judge(subject, ANSWERED)).toBe(ANSWERED);
  });

  it('when the socket is closed', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, () => resolve()));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await judged(port, [])).toEqual(ANSWERED);
  });
});
