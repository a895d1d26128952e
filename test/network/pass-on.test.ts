import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { dialHere } from '../../src/network/node/dial-pod.ts';
import { IngressServer } from '../../src/network/ingress/ingress-server.ts';
import { exchanged, HOSTILE_ANSWERS, hostileProgram, listening } from './hostile-answers.ts';

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** The port of an Ingress in front of a program. */
async function ingressFor(program: Server): Promise<number> {
  opened.push(program);
  const ingress = new IngressServer(({ address, port }) => dialHere(address, port));
  opened.push(ingress);
  const endpoints = [{ address: '127.0.0.1', port: await listening(program) }];
  ingress.update([{ host: '', path: '/', type: 'prefix', service: 'service web', endpoints }]);
  return ingress.listen('http', { port: 18_180, mayMove: true });
}

const request = (path: string, ...headers: readonly string[]): Buffer =>
  Buffer.from(`${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`, 'latin1');
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];
const codeOf = (answer: Buffer): number => Number(/^HTTP\/1\.1 (\d+) /.exec(answer.toString('latin1'))?.[1]);

describe('an answer of a program', () => {
  it('that is hostile is a bad gateway, or is forwarded, and ends nothing', async () => {
    const port = await ingressFor(hostileProgram());
    const codes: [string, number][] = [];
    for (const path of HOSTILE_ANSWERS.keys())
      codes.push([path, codeOf(await exchanged(port, request(path, 'Connection: close')))]);
    expect(codes).toEqual([...HOSTILE_ANSWERS].map(([path, { code }]) => [path, code]));
  });

  it('that is hostile is the same for a request that asks for another protocol', async () => {
    const port = await ingressFor(hostileProgram());
    const codes: [string, number][] = [];
    for (const path of HOSTILE_ANSWERS.keys())
      codes.push([path, codeOf(await exchanged(port, request(path, ...UPGRADE)))]);
    expect(codes).toEqual([...HOSTILE_ANSWERS].map(([path, { code }]) => [path, code]));
  });

  it('may end at its length, whatever follows', async () => {
    const port = await ingressFor(hostileProgram());
    const answer = await exchanged(port, request('/more-than-length', 'Connection: close'));
    expect(answer.toString()).toMatch(/\r\n\r\nhi$/);
  });

  it('has all of its headers, byte for byte, and so has the request', async () => {
    const seen: Buffer[] = [];
    const value = Buffer.from('gr\u00fc\u00df €').toString('latin1');
    const lines = Array.from({ length: 1500 }, (_, index) => `x: ${index}`);
    const program = createServer((incoming, response) => {
      seen.push(Buffer.from(`${incoming.url} ${String(incoming.headers['x-sent'])}`, 'latin1'));
      response.writeHead(200, [['X-Got', value], ...lines.map((line) => line.split(': '))].flat());
      response.end();
    });
    program.on('upgrade', (incoming, socket) => {
      seen.push(Buffer.from(`${incoming.url} ${String(incoming.headers['x-sent'])}`, 'latin1'));
      const head = `HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Got: ${value}\r\n\r\n`;
      socket.end(Buffer.from(head, 'latin1'));
    });
    const port = await ingressFor(program);
    const path = '/a%20%c3%BC//b/../c;d?q=%2F&[x]=|"';
    for (const more of [['Connection: close'], UPGRADE]) {
      const got = await exchanged(port, request(path, `X-Sent: ${value}`, ...more));
      expect(got.includes(Buffer.from(`X-Got: ${value}\r\n`, 'latin1'))).toBe(true);
    }
    expect(seen.map(String)).toEqual([`${path} grüß €`, `${path} grüß €`]);
    const all = await exchanged(port, request('/', 'Connection: close'));
    expect(all.toString('latin1').match(/^x: \d+\r$/gm)).toHaveLength(1500);
  });

  it('that comes before the end of a request arrives', async () => {
    const port = await ingressFor(hostileProgram());
    const head = 'POST /000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\nbegin';
    expect(codeOf(await exchanged(port, Buffer.from(head)))).toBe(502);
  });
});

it('the body of a GET or DELETE stays a body', async () => {
  const seen: string[] = [];
  const program = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
      seen.push(`${incoming.method} ${incoming.url} ${body}`);
      response.end();
    });
  });
  const port = await ingressFor(program);
  for (const method of ['GET', 'DELETE']) {
    const inside = 'GET /other HTTP/1.1\r\nHost: y\r\n\r\n';
    const chunks = `${inside.length.toString(16)}\r\n${inside}\r\n0\r\n\r\n`;
    const head = `${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    await exchanged(port, Buffer.from(head + chunks));
  }
  const inside = 'GET /other HTTP/1.1\r\nHost: y\r\n\r\n';
  expect(seen).toEqual([`GET / ${inside}`, `DELETE / ${inside}`]);
});

describe('a request for another protocol', () => {
  it('that the program does not take ends the connection: a second request does not reach it', async () => {
    const seen: string[] = [];
    const program = createServer((incoming, response) => {
      seen.push(incoming.url ?? '');
      response.end('no');
    });
    const port = await ingressFor(program);
    const both = Buffer.concat([request('/first', ...UPGRADE), request('/second', 'Authorization: Bearer secret')]);
    const answer = await exchanged(port, both);
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n/);
    expect(answer.toString()).toMatch(/\r\n\r\nno$/);
    expect(seen).toEqual(['/first']);
  });

  it('may have a body, and what follows goes to the program once it has switched', async () => {
    const program = createTcpServer((socket) => {
      let text = '';
      socket.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (text.endsWith('\r\n\r\nbody'))
          socket.write('HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
        if (text.endsWith('hello')) socket.end('welcome');
      });
    });
    const port = await ingressFor(program);
    const head = ['POST / HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: tcp', 'Content-Length: 4'].join(
      '\r\n',
    );
    const answer = await exchanged(port, Buffer.from(`${head}\r\n\r\nbodyhello`));
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 101 Go\r\n[^]*\r\n\r\nwelcome$/);
  });

  it('ends with the client that leaves before an answer', async () => {
    const program = createServer();
    const upgraded = once(program, 'upgrade');
    const port = await ingressFor(program);
    const client = connect(port, '127.0.0.1', () => client.write(request('/', ...UPGRADE)));
    const [, socket] = (await upgraded) as [IncomingMessage, Socket];
    const ended = once(socket.resume(), 'end');
    client.resetAndDestroy();
    expect(await ended).toEqual([]);
    socket.destroy();
  });
});
