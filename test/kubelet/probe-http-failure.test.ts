import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ProbeAbort } from '../../src/kubelet/probe/input.ts';
import type { ProbeOutcome } from '../../src/kubelet/probe/prober.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { closedPort, headOfResponse, httpServer, rawServer, tcpServer, turnsOfTheLoop } from './local-servers.ts';
import { probingHttp } from './probing.ts';

/** The beginning of Go's errors about a malformed response. */
const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';

describe('a server that does not answer an HTTP probe', () => {
  /** The error after the URL. */
  async function errorOf(port: number, scheme: 'HTTP' | 'HTTPS' = 'HTTP'): Promise<string> {
    const { result, output } = await probingHttp(port, { path: '/x', scheme });
    const prefix = `Get "${scheme.toLowerCase()}://127.0.0.1:${port}/x": `;
    expect({ result, prefix: output.slice(0, prefix.length) }).toEqual({ result: 'failure', prefix });
    return output.slice(prefix.length);
  }

  it('because no program listens', async () => {
    const port = await closedPort();
    expect(await errorOf(port)).toBe(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });

  it('because no host has that name', async () => {
    const { output } = await probingHttp(80, { host: 'nobody.invalid' });
    expect(output).toMatch(/^Get "http:\/\/nobody\.invalid:80\/": dial tcp: lookup nobody\.invalid: /);
  });

  it.each([
    { name: 'nothing', answer: '', error: 'EOF' },
    {
      name: 'half a head',
      answer: 'HTTP/1.1 200 OK\r\nConte',
      error: `${BROKEN}unexpected EOF`,
    },
    {
      name: 'something else',
      answer: 'SSH-2.0-OpenSSH\r\n',
      error: `${BROKEN}malformed HTTP response "SSH-2.0-OpenSSH"`,
    },
    {
      name: 'a TLS alert',
      answer: Buffer.of(0x15, 3, 1, 0, 2, 2, 22),
      error: String.raw`${BROKEN}malformed HTTP response "\x15\x03\x01\x00\x02\x02\x16"`,
    },
    {
      name: 'a version of its own',
      answer: 'HTTP/2 200 OK\r\n\r\n',
      error: `${BROKEN}malformed HTTP version "HTTP/2"`,
    },
    {
      name: 'a status of its own',
      answer: 'garbage here\r\n\r\n',
      error: `${BROKEN}malformed HTTP status code "here"`,
    },
  ])('but sends $name', async ({ answer, error }) => {
    expect(await errorOf(await rawServer(answer))).toBe(error);
  });

  it('but resets the connection', async () => {
    const port = await tcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const error = (await errorOf(port)).replace(/:\d+->/, ':N->');
    expect(error).toBe(`read tcp 127.0.0.1:N->127.0.0.1:${port}: read: connection reset by peer`);
  });

  it('because it speaks no TLS', async () => {
    const port = await httpServer((_, response) => response.end('ok'));
    expect(await errorOf(port, 'HTTPS')).toBe('http: server gave HTTP response to HTTPS client');
  });

  it('because TLS cannot be agreed on', async () => {
    const port = await rawServer(Buffer.of(0x15, 3, 3, 0, 2, 2, 40));
    expect(await errorOf(port, 'HTTPS')).toBe('remote error: tls: handshake failure');
  });

  it('because it hangs up on TLS', async () => {
    expect(await errorOf(await rawServer(''), 'HTTPS')).toBe('EOF');
  });
});

describe('an HTTP probe whose time is up', () => {
  type Begin = (request: IncomingMessage, response: ServerResponse, begun: () => void) => void;

  /** Starts a probe against a server that does not answer, and lets a second pass after that has begun. */
  async function outcomeAfterTimeout(begin: Begin): Promise<ProbeOutcome> {
    const clock = new ManualClock();
    let begun: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (begun = resolve));
    const port = await httpServer((request, response) => begin(request, response, begun));
    const outcome = probingHttp(port, { path: '/slow' }, { clock });
    await waiting;
    await turnsOfTheLoop();
    clock.advance(1000);
    const { output, ...rest } = await outcome;
    expect(clock.alarmCount).toBe(0);
    return { output: output.replace(`:${port}`, ''), ...rest };
  }

  it('before an answer has failed', async () => {
    const error = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    expect(await outcomeAfterTimeout((_, _response, begun) => begun())).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1/slow": ${error}`,
    });
  });

  it('in the middle of an answer says nothing about the container', async () => {
    const trickle: Begin = (_, response, begun) => {
      void headOfResponse().then(begun);
      response.writeHead(200).write('a little');
    };
    expect(await outcomeAfterTimeout(trickle)).toEqual({
      result: 'error',
      state: 'failure',
      output: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    });
  });

  it('during redirects has failed: the time is for all of them together', async () => {
    const redirect: Begin = ({ url }, response, begun) => {
      if (url === '/slow') response.writeHead(302, { Location: '/slower' }).end();
      else begun();
    };
    const { result, output } = await outcomeAfterTimeout(redirect);
    expect({ result, output }).toEqual({
      result: 'failure',
      output:
        'Get "http://127.0.0.1/slower": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    });
  });
});

describe('an answer that breaks off', () => {
  it.each([
    { name: 'by closing', head: 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nab', error: 'unexpected EOF' },
    {
      name: 'in a chunk',
      head: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
      error: 'unexpected EOF',
    },
  ])('$name says nothing about the container', async ({ head, error }) => {
    expect(await probingHttp(await rawServer(head))).toEqual({ result: 'error', state: 'failure', output: error });
  });

  it('by a reset says which connection it was', async () => {
    const port = await tcpServer((socket) =>
      socket.once('data', () => {
        void headOfResponse().then(async () => {
          await turnsOfTheLoop();
          socket.resetAndDestroy();
        });
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nab');
      }),
    );
    const { result, output } = await probingHttp(port);
    expect(result).toBe('error');
    expect(output).toMatch(new RegExp(`^read tcp 127.0.0.1:\\d+->127.0.0.1:${port}: read: connection reset by peer$`));
  });
});

describe('an HTTP probe that is not awaited any more', () => {
  it('is broken off', async () => {
    const abort = new ProbeAbort();
    const closed = new Promise<void>((resolve) => {
      void tcpServer((socket) => {
        socket.once('data', () => abort.abort());
        socket.once('close', () => resolve());
      }).then((port) => probingHttp(port, {}, { abort }));
    });
    await closed;
    expect(abort.isAborted).toBe(true);
  });
});
