import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { serverOf } from '../server/requests.mjs';
import { type Podrun, type Workshop, workshopFor } from './workshop.ts';
import { freePort } from '../free-port.ts';

const SERVE = ['serve', '--network', 'host', '--runtime', 'process'];

const isServing = ({ stderr }: Podrun): boolean => stderr.includes('serving ');
const urlOf = ({ stderr }: Podrun): string => /serving (\S+);/.exec(stderr)?.[1] ?? '';
const kubeconfigOf = (workshop: Workshop): string => path.join(workshop.stateDir, '.server', 'kubeconfig');

/** Creates a Pod that runs until it is ended, and waits until its container runs. */
async function runPod(workshop: Workshop): Promise<void> {
  const { token, ...place } = serverOf(kubeconfigOf(workshop));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const container = { name: 'main', image: 'busybox', command: ['sleep', '3600'] };
  const pod = { metadata: { name: 'web' }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } };
  const target = { ...place, path: '/api/v1/namespaces/default/pods', headers, servername: 'localhost' };
  const code = await new Promise((resolve, reject) => {
    const sent = request({ ...target, method: 'POST' }, (answer) => resolve(answer.resume().statusCode));
    sent.on('error', reject).end(JSON.stringify(pod));
  });
  expect(code).toBe(201);
  expect((await workshop.start(['wait', 'pod/web', '--for', 'condition=Ready', '--timeout=3m']).ended).exitCode).toBe(
    0,
  );
}

/** Starts five servers at once. Answers the one that serves, when the others have ended as they should. */
async function fiveAtOnce(workshop: Workshop, ...flags: string[]): Promise<Podrun> {
  const all = Array.from({ length: 5 }, () => workshop.start([...SERVE, ...flags]));
  const others = await Promise.all(
    all.map((one) => Promise.race([one.until(isServing).then(() => undefined), one.ended])),
  );
  const [winner, ...more] = all.filter((_, index) => others[index] === undefined);
  expect(more).toEqual([]);
  const ended = others.filter((other) => other !== undefined);
  const kubeconfig = kubeconfigOf(workshop);
  const stderr =
    `error: podrun serve runs already (process ${winner?.pid}): ${urlOf(winner as Podrun)}\n` +
    `Its kubeconfig is ${kubeconfig}.\n`;
  expect(ended).toEqual(Array.from({ length: 4 }, () => ({ exitCode: 1, stdout: '', stderr })));
  return winner as Podrun;
}

it('of five servers at once one serves, and the rest name it: also after a stop or a kill', async (context) => {
  const workshop = workshopFor(context);
  // No other program takes this port while no server runs.
  const first = await fiveAtOnce(workshop, '--port', String(await freePort()));
  await runPod(workshop);
  const url = urlOf(first);
  first.signal('SIGTERM');
  expect((await first.ended).exitCode).toBe(0);
  const second = await fiveAtOnce(workshop);
  second.signal('SIGKILL');
  await second.ended;
  // Commands that find no agent start one, in the place of the server.
  const readers = Array.from({ length: 3 }, () => workshop.start(['get', 'pods', '-o', 'name']));
  const third = await fiveAtOnce(workshop);
  for (const reader of readers) {
    const { exitCode, stdout } = await reader.ended;
    expect([exitCode, stdout]).toEqual([0, 'pod/web\n']);
  }
  third.signal('SIGINT');
  await third.ended;
  expect([urlOf(second), urlOf(third)]).toEqual([url, url]);
  expect((await workshop.start(['delete', 'pod', 'web']).ended).exitCode).toBe(0);
});

it('a server has the port and the certificates of the last one', async (context) => {
  const workshop = workshopFor(context);
  const run = async (...flags: string[]): Promise<{ readonly said: string; readonly kubeconfig: string }> => {
    const { stderr } = await workshop.start([...SERVE, ...flags, '--once', '--', 'true']).ended;
    return { said: stderr, kubeconfig: readFileSync(kubeconfigOf(workshop), 'utf8') };
  };
  const first = await run('--port', String(await freePort()));
  expect(await run()).toEqual(first);
  const { port } = serverOf(kubeconfigOf(workshop));
  const taken = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const moved = await run();
  const { port: other } = serverOf(kubeconfigOf(workshop));
  await new Promise((resolve) => taken.close(resolve));
  expect(moved.said).toBe(
    `cannot listen at 127.0.0.1:${port}: another program listens there; ` +
      `the port is ${other} now: read the kubeconfig again\n`,
  );
  expect(moved.kubeconfig).toBe(first.kubeconfig.replace(`:${port}"`, `:${other}"`));
  expect(await run()).toEqual({ said: '', kubeconfig: moved.kubeconfig });
});

it('a port that the user chooses wins, and must be free', async (context) => {
  const workshop = workshopFor(context);
  expect((await workshop.start([...SERVE, '--once', '--', 'true']).ended).exitCode).toBe(0);
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const flags = [...SERVE, '--port', String(port), '--once', '--', 'true'];
  const { exitCode, stderr } = await workshop.start(flags).ended;
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('another program listens there')]);
  await new Promise((resolve) => taken.close(resolve));
  expect((await workshop.start(flags).ended).exitCode).toBe(0);
  expect(serverOf(kubeconfigOf(workshop)).port).toBe(port);
});

it('a server that had nothing but a Service leaves no process', async (context) => {
  const workshop = workshopFor(context);
  const spec = { selector: { a: 'b' }, ports: [{ port: 80 }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec };
  const file = workshop.file('service.yaml', JSON.stringify(service));
  const server = workshop.start(['serve']);
  await server.until(isServing);
  expect((await workshop.start(['apply', '-d', file]).ended).exitCode).toBe(0);
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
  expect(readdirSync(path.join(workshop.stateDir, '.agents'))).toEqual([]);
});
