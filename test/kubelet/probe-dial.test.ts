import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dial } from '../../src/network/linux/helper-process.ts';
import { NetworkHelper } from '../../src/network/linux/helper-process.ts';
import { closedPort, http2Server, httpServer, httpsServer, tcpServer } from './local-servers.ts';
import { journalled, probing, probingHttp } from './probing.ts';

const podIP = '10.93.4.17';

let folder: string;
let relay: NetworkHelper;

/** Relays into this network: a nsenter that drops all words up to the command. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-relay-'));
  const nsenter = path.join(folder, 'nsenter');
  writeFileSync(nsenter, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
  chmodSync(nsenter, 0o755);
  relay = new NetworkHelper({ nsenter, holderPid: process.pid, isUsers: false });
});

afterAll(() => {
  relay.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A network in which the Pod has the address of this machine. */
const dial: Dial = ({ host, port }, signal) =>
  host === podIP ? relay.dial({ host: '127.0.0.1', port }, signal) : undefined;

const never: Dial = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

describe('a probe of a Pod that has a network of its own', () => {
  it('asks by HTTP in there, and follows redirects in there', async () => {
    const port = await httpServer((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
      else response.end(`host ${request.headers.host}`);
    });
    expect(await probingHttp(port, {}, { podIP, dial })).toEqual({
      result: 'success',
      output: `host ${podIP}:${port}`,
    });
  });

  it('asks by HTTPS in there', async () => {
    const port = await httpsServer((_, response) => response.end('safe'));
    const outcome = await probingHttp(port, { scheme: 'HTTPS' }, { podIP, dial });
    expect(outcome).toEqual({ result: 'success', output: 'safe' });
  });

  it('connects in there', async () => {
    const port = await tcpServer((socket) => socket.end());
    expect(await probing({ tcpSocket: { port } }, { podIP, dial })).toEqual({ result: 'success', output: '' });
  });

  it('asks by gRPC in there', async () => {
    const port = await http2Server((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.of(0, 0, 0, 0, 2, 8, 1));
    });
    const outcome = await probing({ grpc: { port } }, { podIP, dial });
    expect(outcome).toEqual({ result: 'success', output: 'service healthy' });
  });

  it.each([
    ['HTTP', (port: number) => ({ httpGet: { path: '/', port } }), `Get "http://${podIP}:PORT/": `],
    ['TCP', (port: number) => ({ tcpSocket: { port } }), ''],
  ])('by %s that is refused fails as elsewhere', async (_, probeOf, begins) => {
    const port = await closedPort();
    const outcome = await journalled(probeOf(port), { podIP, dial });
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(outcome).toMatchObject({ result: 'failure', output: `${begins.replace('PORT', String(port))}${refused}` });
    expect(outcome.answer).toEqual({ errno: 'ECONNREFUSED' });
  });

  it.each([
    ['HTTP', { httpGet: { path: '/', port: 1 } }, /Client.Timeout exceeded while awaiting headers/],
    ['TCP', { tcpSocket: { port: 1 } }, /^dial tcp 10\.93\.4\.17:1: i\/o timeout$/],
    ['gRPC', { grpc: { port: 1 } }, /context deadline exceeded/],
  ])('by %s without a response ends when its time is up', async (_, probe, output) => {
    const outcome = await probing({ ...probe, timeoutSeconds: 1 }, { podIP, dial: never });
    expect(outcome).toMatchObject({ result: 'failure', output: expect.stringMatching(output) as string });
  });

  it('of another host is made from here', async () => {
    const port = await httpServer((_, response) => response.end('here'));
    const elsewhere: Dial = ({ host }) => (host === podIP ? Promise.reject(new Error('not here')) : undefined);
    const outcome = await probingHttp(port, { host: '127.0.0.1' }, { podIP, dial: elsewhere });
    expect(outcome).toEqual({ result: 'success', output: 'here' });
  });
});
