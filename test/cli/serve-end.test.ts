import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { serverOf } from '../server/requests.mjs';
import { workshopFor } from './workshop.ts';

const PODS = '/api/v1/namespaces/default/pods';
const WEBSOCKET = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** Prints more than a client takes that does not read, and answers no request. */
const SILENT = `
  process.stdout.write(('x'.repeat(999) + '\\n').repeat(8000));
  require('node:http').createServer(() => {}).on('upgrade', () => {}).listen(8080, process.env.POD_IP);`;

/** Requests that go on for ever, and whose answers nobody reads. */
const REQUESTS: readonly (readonly string[])[] = [
  [`GET ${PODS}?watch=true`],
  [`GET ${PODS}?watch=true&allowWatchBookmarks=true`],
  [`GET ${PODS}/web/log?follow=true`],
  [`GET ${PODS}/web/log?follow=true`, ...WEBSOCKET],
  [`GET ${PODS}/web/exec?command=yes&stdout=true`, ...WEBSOCKET, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'],
  [`GET ${PODS}/web/attach?stdout=true`, ...WEBSOCKET, 'Sec-WebSocket-Protocol: v4.channel.k8s.io'],
  [`GET ${PODS}/web/portforward?ports=8080`, ...WEBSOCKET, 'Sec-WebSocket-Protocol: v4.channel.k8s.io'],
  [`GET ${PODS}/web:8080/proxy/`],
  [`GET ${PODS}/web:8080/proxy/`, ...WEBSOCKET],
  ['GET /readyz'],
];

/** A connection of a client, from its begin on. */
interface Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
}

async function opened(socket: Socket, event: string): Promise<Client> {
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  await once(socket, event);
  return { socket, closed };
}

it('one SIGTERM ends a server, whatever its twelve clients do not read or send', async (context) => {
  const workshop = workshopFor(context, { leavesPods: true });
  const server = workshop.start(['serve', '--network', 'host', '--runtime', 'process']);
  await server.until(({ stderr }) => stderr.includes('serving '));
  const main = {
    name: 'main',
    image: 'node',
    command: [process.execPath, '-e', SILENT],
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
  };
  const pod = workshop.pod('web', { terminationGracePeriodSeconds: 0, containers: [main] });
  expect((await workshop.start(['apply', '-d', '--wait', pod]).ended).exitCode).toBe(0);
  const { token, ...place } = serverOf(path.join(workshop.stateDir, '.server', 'kubeconfig'));
  const secure = REQUESTS.map(async ([request = '', ...more]) => {
    const client = await opened(connectSecurely({ ...place, servername: 'localhost' }).pause(), 'secureConnect');
    const head = [`${request} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...more];
    client.socket.write(`${head.join('\r\n')}\r\n\r\n`);
    if (!request.includes('/proxy/')) await once(client.socket, 'readable');
    return client;
  });
  const begun = ['', '\u0016\u0003\u0001'].map(async (bytes) => {
    const client = await opened(connect(place), 'connect');
    client.socket.write(bytes);
    return client;
  });
  const clients = await Promise.all([...secure, ...begun]);
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
  for (const { socket } of clients) socket.resume();
  await Promise.all(clients.map(({ closed }) => closed));
});

it('a SIGINT at its first output ends a server, and leaves no agent for the next command', async (context) => {
  const workshop = workshopFor(context);
  const server = workshop.start(['serve', '--nodes', '2', '--runtime', 'process']);
  await server.until(({ stdout, stderr }) => stdout + stderr !== '');
  server.signal('SIGINT');
  expect(await server.ended).toMatchObject({ exitCode: 0 });
  expect(readdirSync(path.join(workshop.stateDir, '.agents'))).toEqual([]);
});
