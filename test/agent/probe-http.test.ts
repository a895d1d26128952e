import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { HTTPGetAction } from '../../src/api/generated/types.ts';
import { ManualClock } from '../simulation/manual-clock.ts';
import { closedPort, httpServer, httpsServer, rawServer, tcpServer, turnsOfTheLoop } from './local-servers.ts';
import { type Circumstances, probing } from './probing.ts';

/** How Go's client begins when it does not understand an answer. */
const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';

type Outcome = Awaited<ReturnType<typeof probing>>;

const get = (port: number, action: Partial<HTTPGetAction> = {}, circumstances?: Circumstances): Promise<Outcome> =>
  probing({ httpGet: { path: '/', port, ...action }, timeoutSeconds: 1 }, circumstances);

/** The headers of a request as they came in, names and values. */
function headerLines({ rawHeaders }: IncomingMessage): string[] {
  const pairs = rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name, index) => [name, rawHeaders[2 * index + 1]]);
  return pairs.map(([name, value = '']) => `${name}: ${Buffer.from(value, 'latin1').toString()}`);
}

/** Keeps the last request that came in. */
async function listening(answer: RequestListener): Promise<{ port: number; last: () => IncomingMessage }> {
  let last: IncomingMessage | undefined;
  const port = await httpServer((request, response) => {
    last = request;
    answer(request, response);
  });
  return {
    port,
    last: () => {
      if (last === undefined) throw new Error('no request came in');
      return last;
    },
  };
}

describe('the answer to an HTTP probe', () => {
  it.each([
    { status: 200, outcome: { result: 'success', output: 'the body' } },
    { status: 204, outcome: { result: 'success', output: '' } },
    { status: 299, outcome: { result: 'success', output: 'the body' } },
    { status: 300, outcome: { result: 'warning', output: 'Probe terminated redirects, Response body: the body' } },
    { status: 304, outcome: { result: 'warning', output: 'Probe terminated redirects, Response body: ' } },
    { status: 400, outcome: { result: 'failure', output: 'HTTP probe failed with statuscode: 400' } },
    { status: 503, outcome: { result: 'failure', output: 'HTTP probe failed with statuscode: 503' } },
  ])('$status is a $outcome.result', async ({ status, outcome }) => {
    const port = await httpServer((_, response) => response.writeHead(status).end('the body'));
    expect(await get(port)).toEqual(outcome);
  });

  it('may switch protocols, which is no success', async () => {
    const port = await rawServer('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    expect(await get(port)).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 101' });
  });

  it.each([
    { name: 'line feeds only', answer: 'HTTP/1.1 200 OK\n\nok' },
    { name: 'HTTP/1.0', answer: 'HTTP/1.0 200 OK\r\n\r\nok' },
    { name: '100 kB of headers', answer: `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaa\r\n'.repeat(5000)}\r\nok` },
  ])('may come as $name', async ({ answer }) => {
    expect(await get(await rawServer(answer))).toEqual({ result: 'success', output: 'ok' });
  });

  it('is read up to 10 KiB, even if it never ends', async () => {
    const port = await httpServer((_, response) => {
      const more = (): void => void (response.write('x'.repeat(65_536), 'utf8') && setImmediate(more));
      response.on('drain', more);
      more();
    });
    expect(await get(port)).toEqual({ result: 'success', output: 'x'.repeat(10 * 1024) });
  });
});

describe('the request of an HTTP probe', () => {
  it('has the headers of kubelet, and nothing else', async () => {
    const { port, last } = await listening((_, response) => response.end());
    await get(port, { path: '/healthz?full=1' });
    expect(last()).toMatchObject({ method: 'GET', url: '/healthz?full=1' });
    expect(headerLines(last())).toEqual([
      `Host: 127.0.0.1:${port}`,
      'User-Agent: kube-probe/1.36',
      'Accept: */*',
      'Connection: close',
    ]);
  });

  it('takes headers from the manifest: repeated, replaced, removed', async () => {
    const { port, last } = await listening((_, response) => response.end());
    const httpHeaders = [
      { name: 'x-a', value: 'one' },
      { name: 'X-A', value: 'zwei ä' },
      { name: 'user-agent', value: 'mine' },
      { name: 'Accept', value: '' },
      { name: 'Host', value: 'example.com' },
      { name: 'Content-Length', value: '5' },
    ];
    await get(port, { httpHeaders });
    expect(headerLines(last())).toEqual([
      'Host: example.com',
      'X-A: one',
      'X-A: zwei ä',
      'User-Agent: mine',
      'Connection: close',
    ]);
  });

  it.each([
    { header: { name: 'a b', value: 'x' }, error: 'net/http: invalid header field name "a b"' },
    { header: { name: 'A', value: 'x\nB: y' }, error: 'net/http: invalid header field value for "A"' },
    { header: { name: 'Host', value: 'a\rb' }, error: 'http: invalid Host header' },
  ])('is not sent with a broken header: $error', async ({ header, error }) => {
    expect(await get(1, { httpHeaders: [header] })).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:1/": ${error}`,
    });
  });

  it('goes to the address of the Pod, or to the host of the handler', async () => {
    const port = await closedPort();
    const refused = (host: string): string => `Get "http://${host}:${port}/": dial tcp ${host}:${port}: connect: `;
    const toPod = await get(port, {}, { podIP: '127.0.0.2' });
    const toHost = await get(port, { host: '127.0.0.3' }, { podIP: '127.0.0.2' });
    expect(toPod.output).toBe(`${refused('127.0.0.2')}connection refused`);
    expect(toHost.output).toBe(`${refused('127.0.0.3')}connection refused`);
  });

  it('finds the port by the name that this container gives it', async () => {
    const containerPort = await httpServer((_, response) => response.end('ok'));
    const container = { ports: [{ name: 'web', containerPort }] };
    expect(await get(0, { port: 'web' }, { container })).toEqual({ result: 'success', output: 'ok' });
    expect(await get(0, { port: 'www' }, { container })).toEqual({
      result: 'error',
      output: 'strconv.Atoi: parsing "www": invalid syntax',
    });
  });

  it('may use TLS with any certificate', async () => {
    const port = await httpsServer((_, response) => response.end('ok'));
    expect(await get(port, { scheme: 'HTTPS' })).toEqual({ result: 'success', output: 'ok' });
    expect(await get(port, { scheme: 'HTTPS', host: 'localhost' })).toEqual({ result: 'success', output: 'ok' });
  });
});

describe('a redirect of an HTTP probe', () => {
  it('on the same host is followed, with the same headers, also to another port', async () => {
    const there = await listening((_, response) => response.writeHead(500).end());
    const here = await listening((_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${there.port}/ok?x=1` }).end('moved'),
    );
    const outcome = await get(here.port, { httpHeaders: [{ name: 'X-A', value: 'one' }] });
    expect(outcome).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 500' });
    expect(there.last().url).toBe('/ok?x=1');
    expect(there.last().headers).toMatchObject({
      'x-a': 'one',
      referer: `http://127.0.0.1:${here.port}/`,
      host: `127.0.0.1:${there.port}`,
    });
  });

  it('keeps the host header while it is relative', async () => {
    const { port, last } = await listening(({ url }, response) =>
      url === '/next' ? response.end('ok') : response.writeHead(307, { Location: 'next' }).end(),
    );
    expect(await get(port, { httpHeaders: [{ name: 'Host', value: 'example.com' }] })).toMatchObject({ output: 'ok' });
    expect(last().headers.host).toBe('example.com');
  });

  it('to another host is an answer, with a warning', async () => {
    const port = await httpServer((_, response) =>
      response.writeHead(301, { Location: 'http://example.com/' }).end('moved'),
    );
    const output = 'Probe terminated redirects, Response body: moved';
    expect(await get(port)).toEqual({ result: 'warning', output });
  });

  it('to nowhere is an answer, with a warning', async () => {
    const port = await httpServer((_, response) => response.writeHead(302).end('moved'));
    const output = 'Probe terminated redirects, Response body: moved';
    expect(await get(port)).toEqual({ result: 'warning', output });
  });

  it('in a circle ends after ten requests', async () => {
    let requests = 0;
    const port = await httpServer((_, response) => {
      requests++;
      response.writeHead(302, { Location: '/again' }).end();
    });
    expect(await get(port)).toEqual({ result: 'failure', output: 'Get "/again": stopped after 10 redirects' });
    expect(requests).toBe(10);
  });

  it('to another protocol is refused', async () => {
    const port = await httpServer((_, response) => response.writeHead(302, { Location: 'ftp://127.0.0.1/x' }).end());
    const output = 'Get "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"';
    expect(await get(port)).toEqual({ result: 'failure', output });
  });
});

describe('a server that does not answer an HTTP probe', () => {
  /** What is said after the name of the URL. */
  async function errorOf(port: number, scheme: 'HTTP' | 'HTTPS' = 'HTTP'): Promise<string> {
    const { result, output } = await get(port, { path: '/x', scheme });
    const prefix = `Get "${scheme.toLowerCase()}://127.0.0.1:${port}/x": `;
    expect({ result, prefix: output.slice(0, prefix.length) }).toEqual({ result: 'failure', prefix });
    return output.slice(prefix.length);
  }

  it('because nobody listens', async () => {
    const port = await closedPort();
    expect(await errorOf(port)).toBe(`dial tcp 127.0.0.1:${port}: connect: connection refused`);
  });

  it('because nobody has that name', async () => {
    const { output } = await get(80, { host: 'nobody.invalid' });
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
  /** Starts a probe against a server that keeps it waiting, and lets a second pass when the server has begun to. */
  async function outcomeAfterTimeout(begin: RequestListener): Promise<Outcome> {
    const clock = new ManualClock();
    let begun: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (begun = resolve));
    const port = await httpServer((request, response) => {
      begin(request, response);
      void turnsOfTheLoop().then(begun);
    });
    const outcome = get(port, { path: '/slow' }, { clock });
    await waiting;
    clock.advance(1000);
    const { output, ...rest } = await outcome;
    expect(clock.alarmCount).toBe(0);
    return { output: output.replace(`:${port}`, ''), ...rest };
  }

  it('before an answer has failed', async () => {
    const error = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    expect(await outcomeAfterTimeout(() => undefined)).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1/slow": ${error}`,
    });
  });

  it('in the middle of an answer says nothing about the container', async () => {
    const trickle: RequestListener = (_, response) => void response.writeHead(200).write('a little');
    expect(await outcomeAfterTimeout(trickle)).toEqual({
      result: 'error',
      state: 'failure',
      output: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    });
  });

  it('during redirects has failed: the time is for all of them together', async () => {
    const redirect: RequestListener = ({ url }, response) =>
      void (url === '/slow' && response.writeHead(302, { Location: '/slower' }).end());
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
    expect(await get(await rawServer(head))).toEqual({ result: 'error', state: 'failure', output: error });
  });

  it('by a reset says which connection it was', async () => {
    const port = await tcpServer((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nab');
        void turnsOfTheLoop().then(() => socket.resetAndDestroy());
      }),
    );
    const { result, output } = await get(port);
    expect(result).toBe('error');
    expect(output).toMatch(new RegExp(`^read tcp 127.0.0.1:\\d+->127.0.0.1:${port}: read: connection reset by peer$`));
  });
});

describe('an HTTP probe that nobody waits for', () => {
  it('is broken off', async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      void tcpServer((socket) => {
        socket.once('data', () => controller.abort());
        socket.once('close', () => resolve());
      }).then((port) => get(port, {}, { signal: controller.signal }));
    });
    await closed;
    expect(controller.signal.aborted).toBe(true);
  });
});
