import { getServers } from 'node:dns';
import http, { type IncomingMessage, type RequestOptions, validateHeaderValue } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { guarded } from '../../defects.ts';
import type { RegistrySettings } from '../../lifecycle/index.ts';
import { joinHostPort } from '../../api/index.ts';
import { succeeds } from '../../quietly.ts';
import { goNetworkError, HTTP_FOR_HTTPS } from '../../runtime/index.ts';
import { version } from '../../version.ts';
import { isLoopback, type NetworkVariables, proxyFor, type Registries, registrySettings } from './endpoints.ts';
import { PullError, withoutQuery } from './pull-error.ts';
import { tlsOptions } from './tls.ts';

/** A connection without a byte for so long is broken. */
const IDLE_MS = 30_000;
/** More blobs at a time than podrun fetches from a host. */
const SOCKETS_MAX = 8;

export interface HttpCall {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Without a scheme, `//HOST/PATH`: TLS where the settings of the host permit nothing else. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface RegistryAnswer {
  readonly status: number;
  /** `404 Not Found`. */
  readonly statusText: string;
  readonly headers: IncomingMessage['headers'];
  /** With its scheme. */
  readonly url: string;
  readonly body: IncomingMessage;
}

/** The requests of a puller. Connections are used again. Follows no redirect and responds to no challenge. */
export class HttpConnections {
  readonly #registries: Registries;
  readonly #env: NetworkVariables;
  readonly #agents = new Map<string, http.Agent>();
  /** Loopback hosts that have responded to TLS with plain HTTP. */
  readonly #plain = new Set<string>();

  constructor(registries: Registries, env: NetworkVariables) {
    this.#registries = registries;
    this.#env = env;
  }

  /**
   * Sends a request. Returns the head of the response: its body must be read or destroyed.
   * @throws {PullError} when there is no response
   */
  async request(call: HttpCall): Promise<RegistryAnswer> {
    const hasScheme = !call.url.startsWith('//');
    checkUrl(call, hasScheme ? call.url : `https:${call.url}`);
    const host = new URL(hasScheme ? call.url : `https:${call.url}`).host;
    const settings = registrySettings(host, this.#registries);
    const isPlain = settings.plainHttp || this.#plain.has(host);
    const url = hasScheme ? call.url : `${isPlain ? 'http' : 'https'}:${call.url}`;
    if (url.startsWith('http:') && !isPlain && !isLoopback(host)) {
      throw failed(call, url, 'podrun.yaml does not say plainHttp of this host');
    }
    try {
      return await this.#send(call, new URL(url), settings);
    } catch (error) {
      if (!(error instanceof PullError)) throw error;
      const mayBePlain = !hasScheme && isLoopback(host) && settings.caFile === undefined;
      if (!mayBePlain || !error.message.endsWith(HTTP_FOR_HTTPS)) throw error;
      this.#plain.add(host);
      return this.request(call);
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #send(call: HttpCall, url: URL, settings: RegistrySettings): Promise<RegistryAnswer> {
    const { method, headers = {}, body, signal } = call;
    const proxy = proxyFor(url, this.#env);
    const isSecure = url.protocol === 'https:';
    const ownHeaders = { 'user-agent': `podrun/${version}`, ...headers };
    const wrong = Object.entries(ownHeaders).find(([name, value]) => !succeeds(() => validateHeaderValue(name, value)));
    if (wrong !== undefined) throw failed(call, url.href, `invalid header field value for ${JSON.stringify(wrong[0])}`);
    const options: RequestOptions = {
      method,
      headers: ownHeaders,
      agent: this.#agentFor(url, settings, proxy),
      timeout: IDLE_MS,
      signal,
    };
    return new Promise((resolve, reject) => {
      // A proxy for plain HTTP gets the whole URL.
      const request = guarded(
        proxy === undefined || isSecure
          ? (isSecure ? https : http).request(url, options)
          : http.request({
              ...options,
              host: proxy.hostname,
              port: proxy.port || 80,
              path: url.href,
              headers: { host: url.host, ...proxyAuthorization(proxy), ...ownHeaders },
            }),
      );
      let ends = '';
      request.once('socket', (socket: Socket) => {
        const note = (): void => {
          const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
          ends = `${joinHostPort(localAddress, localPort)}->${joinHostPort(remoteAddress, remotePort)}`;
        };
        if (socket.connecting) socket.once('connect', note);
        else note();
      });
      // Another protocol was not requested.
      request.once('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        reject(failed(call, url.href, `unexpected status ${statusCode}`));
      });
      request.once('timeout', () => {
        request.destroy(Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT', syscall: 'read' }));
      });
      request.once('error', (error) => {
        // The server has closed a connection that waited for a second request: that one was not read.
        if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && !signal.aborted) {
          return resolve(this.#send(call, url, settings));
        }
        reject(signal.aborted ? new PullError('context canceled') : failed(call, url.href, wordsOf(error, ends)));
      });
      const take = (response: IncomingMessage): void => {
        const { statusCode: status = 0, statusMessage = '' } = response;
        const statusText = `${status} ${statusMessage || (http.STATUS_CODES[status] ?? '')}`.trim();
        resolve({ status, statusText, headers: response.headers, url: url.href, body: response });
      };
      request.once('response', take);
      // A switch to another protocol, which was not requested, is a response without a body.
      request.once('upgrade', (response, socket) => {
        socket.destroy();
        response.push(null);
        take(response);
      });
      request.end(body);
    });
  }

  #agentFor(url: URL, settings: RegistrySettings, proxy: URL | undefined): http.Agent {
    const key = `${url.protocol}//${url.host}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const common = { keepAlive: true, maxSockets: SOCKETS_MAX };
    const tls = url.protocol === 'https:' ? tlsOptions(url.host, settings, this.#env) : undefined;
    const agent =
      tls === undefined
        ? new http.Agent(common)
        : proxy === undefined
          ? new https.Agent({ ...common, ...tls })
          : new TunnelAgent({ ...common, ...tls }, proxy);
    this.#agents.set(key, agent);
    return agent;
  }
}

/** Connects through a proxy, which passes on what it cannot read. Source: RFC 9110, 9.3.6 CONNECT. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(options: https.AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const { host = '', port = 443 } = options;
    const proxy = this.#proxy;
    const target = joinHostPort(host ?? '', Number(port));
    const connecting = guarded(
      (proxy.protocol === 'https:' ? https : http).request({
        method: 'CONNECT',
        host: proxy.hostname,
        port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
        path: target,
        headers: { host: target, ...proxyAuthorization(proxy) },
      }),
    );
    const fail = (why: string): void => (callback as (error: Error) => void)(new Error(why));
    connecting.once('error', (error) => fail(`proxyconnect tcp: ${wordsOf(error, '')}`));
    connecting.once('connect', ({ statusCode, statusMessage }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) {
        return callback(
          null,
          guarded(connectTls({ ...(options as ConnectionOptions), socket, servername: host ?? '' })),
        );
      }
      socket.destroy();
      fail(statusMessage ?? String(statusCode));
    });
    connecting.end();
    return undefined;
  }
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * Registries name places: redirects, token servers, layers that are elsewhere.
 * @throws {PullError} for no URL of HTTP
 */
function checkUrl(call: HttpCall, url: string): void {
  if (!URL.canParse(url)) throw failed(call, url, 'invalid URL');
  const scheme = new URL(url).protocol.replace(/:$/, '');
  if (!['http', 'https'].includes(scheme)) {
    throw failed(call, url, `unsupported protocol scheme ${JSON.stringify(scheme)}`);
  }
}

/** The error of a request without a response, as Go's http.Client words it. */
function failed({ method }: HttpCall, url: string, why: string): PullError {
  const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`;
  return new PullError(`failed to do request: ${verb} ${JSON.stringify(withoutQuery(url))}: ${why}`);
}

function wordsOf(error: Error, ends: string): string {
  const { code = '', hostname = '', syscall } = error as NodeJS.ErrnoException & { hostname?: string };
  if (syscall === 'getaddrinfo') {
    const [server = '127.0.0.1'] = getServers();
    const at = /:\d+$/.test(server) && !server.includes('::') ? server : `${server}:53`;
    return `dial tcp: lookup ${hostname} on ${at}: ${code === 'ENOTFOUND' ? 'no such host' : 'i/o timeout'}`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)) {
    return `tls: failed to verify certificate: x509: ${error.message}`;
  }
  return goNetworkError(error, { ends, hasReceived: false });
}
