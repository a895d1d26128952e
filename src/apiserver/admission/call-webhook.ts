import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv4 } from 'node:net';
import { guarded } from '../../defects.ts';
import { parseJson } from '../../api/index.ts';
import { lowestPort, machineAddress, machinePort } from '../../network/index.ts';
import { goNetworkError } from '../../runtime/index.ts';
import type { Clock } from '../../clock.ts';
import type { ServedObjects } from '../state/served-objects.ts';
import type { WebhookClient } from '../resources/served-resource.ts';

const TIMEOUT_SECONDS = 10;
/** The answer of a webhook at most. Source: apiserver, the limit of a request. */
const ANSWER_BYTES_MAX = 3 * 1024 * 1024;

/** The parts of a webhook that a call needs. */
interface CalledWebhook {
  readonly clientConfig?: WebhookClient;
  readonly timeoutSeconds?: number;
}

/** The address at which this machine reaches a Service. Undefined: there is no such Service. */
export type ServiceAddress = (namespace: string, name: string) => string | undefined;

/** Finds the addresses of Services. */
export function serviceAddresses(objects: ServedObjects): ServiceAddress {
  return (namespace, name) => {
    const spec = objects.get('services', namespace, name)?.['spec'] as { readonly clusterIP?: string } | undefined;
    return spec?.clusterIP && machineAddress(spec.clusterIP);
  };
}

/** The parts of a server that a call needs. */
interface Caller {
  readonly clock: Clock;
  readonly addressOf: ServiceAddress;
  /** See ServerContext. */
  readonly closed: AbortSignal;
}

/**
 * Calls a webhook if it listens on this machine. Rejects with the reason of `closed` when the server closes meanwhile.
 * @returns its answer, or undefined for an address elsewhere
 */
export function callOnLoopback(
  { clientConfig = {}, timeoutSeconds = TIMEOUT_SECONDS }: CalledWebhook,
  review: object,
  { clock, addressOf, closed }: Caller,
): Promise<unknown> | undefined {
  const target = targetOf(clientConfig, addressOf);
  if (target === undefined || !isLoopback(target.url.hostname)) return undefined;
  return post(target, JSON.stringify(review), { clock, closed, timeoutMs: timeoutSeconds * 1000 });
}

interface Target {
  readonly url: URL;
  /** The name in its certificate. */
  readonly serverName: string | undefined;
  readonly ca: string | undefined;
}

function targetOf({ url, service, caBundle }: WebhookClient, addressOf: ServiceAddress): Target | undefined {
  const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
  if (url !== undefined) return URL.canParse(url) ? { url: new URL(url), serverName: undefined, ca } : undefined;
  if (service === undefined) return undefined;
  const { namespace, name, path = '/', port = 443 } = service;
  const address = addressOf(namespace, name);
  if (address === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  return {
    url: new URL(`https://${address}:${machinePort(port, lowestPort())}${path}`),
    serverName: `${name}.${namespace}.svc`,
    ca,
  };
}

/** True for a URL that leads to another machine. */
export function leadsElsewhere(url: string): boolean {
  return URL.canParse(url) && !isLoopback(new URL(url).hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function post(
  { url, serverName, ca }: Target,
  body: string,
  { clock, closed, timeoutMs }: Omit<Caller, 'addressOf'> & { readonly timeoutMs: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
    const options = { method: 'POST', headers, ...tls };
    const request = guarded(url.protocol === 'http:' ? httpRequest(url, options) : httpsRequest(url, options));
    const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => {
      request.destroy(new Error(`Post "${url.href}": context deadline exceeded`));
    });
    const giveUp = (): void => {
      reject(closed.reason as Error);
      request.destroy();
    };
    closed.addEventListener('abort', giveUp, { once: true });
    request.once('close', () => {
      alarm.cancel();
      closed.removeEventListener('abort', giveUp);
      // Node.js says nothing else about an answer that switches to another protocol.
      reject(new Error(`Post "${url.href}": it has not answered`));
    });
    if (closed.aborted) giveUp();
    request.once('error', (error) => {
      reject(new Error(`Post "${url.href}": ${goNetworkError(error, { ends: '', hasReceived: false })}`));
    });
    request.once('response', (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > ANSWER_BYTES_MAX) request.destroy(new Error('the answer is too large'));
        else pieces.push(piece);
      });
      response.once('error', reject);
      response.once('end', () => {
        try {
          if (response.statusCode !== 200) throw new Error(`the server answered with ${response.statusCode}`);
          resolve(parseJson(Buffer.concat(pieces)));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    request.end(body);
  });
}
