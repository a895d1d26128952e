import { isIPv4, type Socket } from 'node:net';
import { posix } from 'node:path';
import { parseJson, type StoredService } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { WebhookClient } from '../resources/served-resource.ts';
import { askServer, type CalledServer } from '../services/ask-server.ts';
import { dialService } from '../services/dial-service.ts';

const TIMEOUT_SECONDS = 10;
const HTTPS_PORT = 443;

/** The parts of a webhook that a call needs. */
interface CalledWebhook {
  readonly clientConfig?: WebhookClient;
  readonly timeoutSeconds?: number;
}

/** The parts of a server that a call needs; see ServerContext. */
type Caller = Pick<ServerContext, 'clock' | 'closed' | 'objects' | 'node'>;

/**
 * Calls a webhook if it runs on this machine. Rejects with the reason of `closed` when the server closes meanwhile.
 * @returns its answer, or undefined for an address elsewhere
 */
export function callOnMachine(
  { clientConfig = {}, timeoutSeconds = TIMEOUT_SECONDS }: CalledWebhook,
  review: object,
  caller: Caller,
): Promise<unknown> | undefined {
  const target = targetOf(clientConfig, timeoutSeconds, caller);
  return target && post(target, JSON.stringify(review), { ...caller, timeoutMs: timeoutSeconds * 1000 });
}

/** Undefined: the webhook is on another machine. */
function targetOf(
  { url: text, service, caBundle }: WebhookClient,
  timeoutSeconds: number,
  caller: Caller,
): CalledServer | undefined {
  // As for a Go client, a certificate that no CA has signed may be trusted itself: envtest gives none but that.
  const trusted = { ca: Buffer.from(caBundle ?? '', 'base64').toString('utf8'), allowPartialTrustChain: true };
  const tls = caBundle === undefined ? {} : trusted;
  const query = `?timeout=${timeoutSeconds}s`;
  if (text !== undefined) {
    if (!URL.canParse(text) || leavesThisMachine(text)) return undefined;
    const url = new URL(query, text);
    url.pathname = posix.normalize(url.pathname);
    return { url, host: url.host, address: url.href, tls, dial: undefined };
  }
  if (service === undefined) return undefined;
  const { namespace, name, path = '/', port = HTTPS_PORT } = service;
  const stored = caller.objects.get('services', namespace, name) as StoredService | undefined;
  if (stored?.spec?.type === 'ExternalName') return undefined;
  const servername = `${name}.${namespace}.svc`;
  const host = `${servername}:${port}`;
  const address = `https://${host}${path}${query}`;
  const dial = (): Promise<Socket> => dialService(stored, { name, port }, caller);
  return { url: new URL(address), host, address, tls: { ...tls, servername }, dial };
}

/** True for a URL that leads to another machine. */
export function leavesThisMachine(url: string): boolean {
  return URL.canParse(url) && !isLoopback(new URL(url).hostname);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

async function post(
  target: CalledServer,
  body: string,
  { timeoutMs, ...caller }: Pick<Caller, 'clock' | 'closed'> & { readonly timeoutMs: number },
): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const answer = await askServer(target, { method: 'POST', headers, body, timeoutMs }, caller);
  if (answer.code !== 200) throw new Error(`the server responded with ${answer.code}`);
  return parseJson(answer.body);
}
