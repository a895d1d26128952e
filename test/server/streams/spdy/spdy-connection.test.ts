import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SpdyStream, SpdyConnection } from '../../../../src/server/streams/spdy/spdy-connection.ts';
import { encodeSpdyFrame } from '../../../../src/server/streams/spdy/frames.ts';
import { PATIENT } from '../../../patience.ts';
import { SpdyClient } from '../spdy-client.ts';

/** The two ends of a connection over loopback. */
async function ends(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connectTo((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  onTestFinished(() => {
    near.destroy();
    far.destroy();
  });
  return [near, far];
}

interface Connected {
  readonly client: SpdyClient;
  readonly opened: SpdyStream[];
  readonly connection: SpdyConnection;
  readonly near: Socket;
  readonly far: Socket;
}

async function connect(): Promise<Connected> {
  const [near, far] = await ends();
  const opened: SpdyStream[] = [];
  const connection = new SpdyConnection(far, (stream) => opened.push(stream));
  return { client: new SpdyClient(near), opened, connection, near, far };
}

describe('a SPDY connection', () => {
  it('gives the streams that the client opens, and replies to each', async () => {
    const { client, opened } = await connect();
    const id = client.open({ streamType: 'data', port: '80' });
    await client.until(() => client.frames.some(({ type }) => type === 'synReply'));
    expect(Object.fromEntries(opened[0]?.headers ?? [])).toEqual({ streamtype: 'data', port: '80' });
    client.write(id, 'ping');
    client.write(id, ' pong', true);
    let text = '';
    opened[0]!.stream.on('data', (piece: Buffer) => (text += piece.toString()));
    await once(opened[0]!.stream, 'end');
    expect(text).toBe('ping pong');
    opened[0]!.stream.end('answer');
    await client.until(() => client.isEnded(id));
    expect(client.text(id)).toBe('answer');
  });

  it('responds to pings, and lets the rest pass', async () => {
    const { client } = await connect();
    client.send({ type: 'settings' }, { type: 'windowUpdate', streamId: 1, bytes: 10 }, { type: 'ping', id: 7 });
    await client.until(() => client.frames.length > 0);
    expect(client.frames).toEqual([{ type: 'ping', id: 7 }]);
  });

  it('stops reading while a stream is not read, and resumes', async () => {
    const { client, opened, far } = await connect();
    const id = client.open({ streamtype: 'stdin' });
    const piece = Buffer.alloc(64 * 1024);
    for (let index = 0; index < 64; index += 1) client.write(id, piece);
    client.write(id, '', true);
    await vi.waitFor(() => expect(far.isPaused()).toBe(true), PATIENT);
    const { stream } = opened[0]!;
    expect(stream.readableLength).toBeLessThan(4 * piece.length);
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(64 * piece.length);
  });

  it('resets an abandoned stream, and reports a stream that the client resets', async () => {
    const { client, opened } = await connect();
    const [one, two] = [client.open({}), client.open({})];
    await client.until(() => client.frames.length === 2);
    opened[0]!.stream.destroy();
    client.send({ type: 'rstStream', streamId: two, status: 5 });
    await client.until(() => client.frames.some(({ type }) => type === 'rstStream'));
    expect(client.frames.find(({ type }) => type === 'rstStream')).toMatchObject({ streamId: one, status: 5 });
    await vi.waitFor(() => expect(opened[1]!.stream.destroyed).toBe(true), PATIENT);
  });

  it('refuses more streams than anybody needs', async () => {
    const { client, opened } = await connect();
    for (let index = 0; index < 513; index += 1) client.open({});
    await client.until(() => client.frames.some(({ type }) => type === 'rstStream'));
    expect(opened.length).toBe(512);
  });

  it.each([
    ['a request in HTTP', 'GET / HTTP/1.1\r\n\r\n'.repeat(200)],
    ['a frame without end', Buffer.from('80030001ffffffff', 'hex')],
    ['a stream with an even number', Buffer.from('800300010000000a00000002000000000000', 'hex')],
  ])('ends when the client sends %s', async (_, bytes) => {
    const { connection, near } = await connect();
    near.write(bytes);
    await expect(connection.closed).resolves.toBeUndefined();
  });

  it('ends when the client pings and does not read', async () => {
    const carrier = new Duplex({
      read: () => undefined,
      // Nothing is ever sent.
      write: () => undefined,
    });
    const connection = new SpdyConnection(carrier, () => undefined);
    const pings = Array.from({ length: 1000 }, (_, id) => encodeSpdyFrame({ type: 'ping', id }));
    for (let index = 0; index < 30 && !carrier.destroyed; index += 1) {
      carrier.push(Buffer.concat(pings));
      await new Promise(setImmediate);
    }
    await connection.closed;
    expect(carrier.writableLength).toBeLessThan(512 * 1024);
  });

  it('says goodbye', async () => {
    const { client, connection } = await connect();
    client.open({});
    await client.until(() => client.frames.length === 1);
    connection.close();
    await client.closed;
    expect(client.frames.at(-1)).toMatchObject({ type: 'goAway' });
  });
});
