import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { clientProcess, commandOfMark } from '../../src/runtime/watch/socket-owners.ts';
import { needs } from '../needs.ts';

describe('the process at the other end of a connection', needs({ '/proc': process.platform === 'linux' }), () => {
  it('is found by its socket', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = await once(server, 'connection');
    expect((await clientProcess(socket, new SystemClock()))?.pid).toBe(process.pid);
    client.destroy();
    server.close();
  });
});

it('reads the podrun of a COMMAND out of its mark', () => {
  expect(commandOfMark('command-17-4711-1.')).toBe(17);
  expect(commandOfMark('2b0c/main')).toBeUndefined();
  expect(commandOfMark(undefined)).toBeUndefined();
});
