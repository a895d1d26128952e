import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { closedPort, httpServer, httpsServer, rawServer } from './local-servers.ts';
import { probingHttp } from './probing.ts';

/** The headers of a request, names and values in turn. */
function headerLines({ rawHeaders }: IncomingMessage): string[] {
  const pairs = rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name, index) => [name, rawHeaders[2 * index + 1]]);
  return pairs.map(([name, value = '']) => `${name}: ${Buffer.from(value, 'latin1').toString()}`);
}

/** Keeps the last request. */
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
    expect(await probingHttp(port)).toEqual(outcome);
  });

  it('may switch protocols, which is no success', async () => {
    const port = await rawServer('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    expect(await probingHttp(port)).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 101' });
  });

  it.each([
    { name: 'line feeds only', answer: 'HTTP/1.1 200 OK\n\nok' },
    { name: 'HTTP/1.0', answer: 'HTTP/1.0 200 OK\r\n\r\nok' },
    { name: '100 kB of headers', answer: `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaa\r\n'.repeat(5000)}\r\nok` },
  ])('may come as $name', async ({ answer }) => {
    expect(await probingHttp(await rawServer(answer))).toEqual({ result: 'success', output: 'ok' });
  });

  it('is read up to 10 KiB, even if it never ends', async () => {
    const port = await httpServer((_, response) => {
      const more = (): void => void (response.write('x'.repeat(65_536), 'utf8') && setImmediate(more));
      response.on('drain', more);
      more();
    });
    expect(await probingHttp(port)).toEqual({ result: 'success', output: 'x'.repeat(10 * 1024) });
  });
});

describe('the request of an HTTP probe', () => {
  it('has the headers of kubelet, and nothing else', async () => {
    const { port, last } = await listening((_, response) => response.end());
    await probingHttp(port, { path: '/healthz?full=1' });
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
    await probingHttp(port, { httpHeaders });
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
    expect(await probingHttp(1, { httpHeaders: [header] })).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:1/": ${error}`,
    });
  });

  it('goes to the address of the Pod, or to the host of the handler', async () => {
    const port = await closedPort();
    const refused = (host: string): string => `Get "http://${host}:${port}/": dial tcp ${host}:${port}: connect: `;
    const toPod = await probingHttp(port, {}, { podIP: '127.0.0.2' });
    const toHost = await probingHttp(port, { host: '127.0.0.3' }, { podIP: '127.0.0.2' });
    expect(toPod.output).toBe(`${refused('127.0.0.2')}connection refused`);
    expect(toHost.output).toBe(`${refused('127.0.0.3')}connection refused`);
  });

  it('finds the port by the name that this container gives it', async () => {
    const containerPort = await httpServer((_, response) => response.end('ok'));
    const container = { ports: [{ name: 'web', containerPort }] };
    expect(await probingHttp(0, { port: 'web' }, { container })).toEqual({ result: 'success', output: 'ok' });
    expect(await probingHttp(0, { port: 'www' }, { container })).toEqual({
      result: 'error',
      output: 'strconv.Atoi: parsing "www": invalid syntax',
    });
  });

  it('may use TLS with any certificate', async () => {
    const port = await httpsServer((_, response) => response.end('ok'));
    expect(await probingHttp(port, { scheme: 'HTTPS' })).toEqual({ result: 'success', output: 'ok' });
    expect(await probingHttp(port, { scheme: 'HTTPS', host: 'localhost' })).toEqual({
      result: 'success',
      output: 'ok',
    });
  });
});

describe('a redirect of an HTTP probe', () => {
  it('on the same host is followed, with the same headers, also to another port', async () => {
    const there = await listening((_, response) => response.writeHead(500).end());
    const here = await listening((_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${there.port}/ok?x=1` }).end('moved'),
    );
    const outcome = await probingHttp(here.port, { httpHeaders: [{ name: 'X-A', value: 'one' }] });
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
    expect(await probingHttp(port, { httpHeaders: [{ name: 'Host', value: 'example.com' }] })).toMatchObject({
      output: 'ok',
    });
    expect(last().headers.host).toBe('example.com');
  });

  it('to another host is an answer, with a warning', async () => {
    const port = await httpServer((_, response) =>
      response.writeHead(301, { Location: 'http://example.com/' }).end('moved'),
    );
    const output = 'Probe terminated redirects, Response body: moved';
    expect(await probingHttp(port)).toEqual({ result: 'warning', output });
  });

  it('to nowhere is an answer, with a warning', async () => {
    const port = await httpServer((_, response) => response.writeHead(302).end('moved'));
    const output = 'Probe terminated redirects, Response body: moved';
    expect(await probingHttp(port)).toEqual({ result: 'warning', output });
  });

  it('in a circle ends after ten requests', async () => {
    let requests = 0;
    const port = await httpServer((_, response) => {
      requests++;
      response.writeHead(302, { Location: '/again' }).end();
    });
    expect(await probingHttp(port)).toEqual({ result: 'failure', output: 'Get "/again": stopped after 10 redirects' });
    expect(requests).toBe(10);
  });

  it('to another protocol is refused', async () => {
    const port = await httpServer((_, response) => response.writeHead(302, { Location: 'ftp://127.0.0.1/x' }).end());
    const output = 'Get "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"';
    expect(await probingHttp(port)).toEqual({ result: 'failure', output });
  });
});
