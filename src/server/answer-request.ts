import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, nextPart } from '../clock.ts';
import { endWithAnswer } from '../network/index.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  asStatusError,
  authorize,
  authorizeConnection,
  hasAdmission,
  loadPatterns,
  methodNotAllowed,
  noSuchPath,
  permitConnection,
  type ServerContext,
  StatusError,
} from '../apiserver/index.ts';
import { handlerOf, upgradeHandlerOf } from './handlers.ts';
import { sendObject } from './reads/send-object.ts';
import { actingUser } from './http/acting-user.ts';
import type { AuditedRequest, AuditLog } from './http/audit.ts';
import { readRequestBody } from './http/read-body.ts';
import { sendStatusError, sendText } from './http/respond.ts';
import { AnswerWarnings } from './http/warnings.ts';
import { type RequestRouter, type Routed, verbOf } from './http/route-request.ts';
import { isIP } from 'node:net';

/** The names under which clients reach the server. A Pod uses the names of the Service. */
const NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]);

/** The parts that answer requests. */
export interface Answering {
  readonly context: ServerContext;
  readonly router: RequestRouter;
  /** Undefined: requests are not written down. */
  readonly audit: AuditLog | undefined;
}

const SWITCHING_PROTOCOLS = 101;

type ObjectPath = Extract<Routed, { route: undefined }>;

/** Handles a request: path, user, permission, handler. */
export async function answerRequest(
  { context, router, audit }: Answering,
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const audited: AuditedRequest = {};
  const record = audit?.begin(raw, audited);
  if (record !== undefined) response.once('close', () => record('ResponseComplete', response.statusCode));
  const warnings = new AnswerWarnings(response);
  let about: { resource: ObjectPath['resource']; name: string } | undefined;
  try {
    checkOrigin(raw.headers);
    const routed = router.find(raw);
    if ((raw.method === 'HEAD' || raw.method === 'OPTIONS') && !isProxied(routed)) throw methodNotAllowed();
    if (routed?.route?.isPublic !== true) {
      const user = actingUser(raw, context);
      audited.user = user;
      if (routed !== undefined && routed.route === undefined) {
        about = { resource: routed.resource, name: routed.name ?? '' };
        const request = apiRequest(routed, { raw, user, clock: context.clock, warn: (text) => warnings.add(text) });
        audited.request = request;
        authorize(request, context);
        if (isChecked(request, context)) await loadPatterns();
        if (isProxied(routed)) await permitConnection(request, context);
        await nextPart(context.clock);
        const answer = await handlerOf(request)(request, context);
        if ('stream' in answer) record?.('ResponseStarted', response.statusCode);
        await send(answer, { request, context, raw, response });
        return;
      }
      authorize({ user, path: raw.url ?? '', method: raw.method ?? '' }, context);
    }
    if (routed?.route === undefined) throw noSuchPath();
    const { route, params } = routed;
    const answer = await route.answer({ params, query: queryOf(raw), raw }, context);
    await send(answer, { context, raw, response });
  } catch (error) {
    fail(error, about, raw, response, context);
  }
}

/** Passes a connection to its handler: exec, attach, port-forward, a proxied websocket. */
export async function answerUpgrade(
  { context, router, audit }: Answering,
  raw: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const audited: AuditedRequest = {};
  let code = SWITCHING_PROTOCOLS;
  const record = audit?.begin(raw, audited);
  if (record !== undefined) socket.once('close', () => record('ResponseComplete', code));
  try {
    checkOrigin(raw.headers);
    const routed = router.find(raw);
    const user = actingUser(raw, context);
    audited.user = user;
    if (routed === undefined || routed.route !== undefined) throw noSuchPath();
    const request = apiRequest(routed, { raw, user, clock: context.clock, warn: () => undefined });
    audited.request = request;
    authorize(request, context);
    authorizeConnection(request, context);
    if (hasAdmission(context)) await loadPatterns();
    await permitConnection(request, context);
    await upgradeHandlerOf(request)(request, { socket, head }, context);
  } catch (error) {
    const status = asStatusError(error);
    code = status.failure.code;
    endWithAnswer(socket, { code, type: 'application/json', text: JSON.stringify(status.body) });
  }
}

function isProxied(routed: Routed | undefined): boolean {
  return routed !== undefined && routed.route === undefined && routed.subresource === 'proxy';
}

/** True for a write of an object that rules and patterns of users may be about. */
function isChecked({ verb, resource, subresource }: ApiRequest, context: ServerContext): boolean {
  const isRead = verb === 'get' || verb === 'list' || verb === 'watch';
  if (subresource === 'proxy') return hasAdmission(context);
  return !isRead && (resource.custom !== undefined || hasAdmission(context));
}

function apiRequest(
  path: ObjectPath,
  { raw, user, clock, warn }: Pick<ApiRequest, 'raw' | 'user' | 'warn'> & { readonly clock: Clock },
): ApiRequest {
  const { resource, namespace, name, subresource, rest } = path;
  const query = queryOf(raw);
  // No program behind the server gets the token of a client.
  const { authorization: _, ...headers } = raw.headers;
  const verb = verbOf(raw, path, query);
  let body: Promise<Buffer> | undefined;
  const read = async (): Promise<Buffer> => {
    const bytes = await readRequestBody(raw);
    await nextPart(clock);
    return bytes;
  };
  const readOnce = (): Promise<Buffer> => (body ??= read());
  return { verb, resource, namespace, name, subresource, rest, user, query, headers, raw, warn, body: readOnce };
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

interface Sending {
  readonly context: ServerContext;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** Undefined: the answer is no object of the API. */
  readonly request?: ApiRequest;
}

async function send(answer: ApiAnswer, { context, raw, response, request }: Sending): Promise<void> {
  if ('stream' in answer) await answer.stream(response);
  else if ('text' in answer) sendText(raw, response, answer);
  else sendObject(answer, { raw, response, request, nowMs: context.clock.now().wallMs });
}

function fail(
  error: unknown,
  about: Parameters<typeof asStatusError>[1],
  raw: IncomingMessage,
  response: ServerResponse,
  { report }: ServerContext,
): void {
  const status = asStatusError(error, about);
  if (status.failure.code === 500 && !(error instanceof StatusError))
    report(`${raw.method} ${raw.url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  if (response.headersSent) response.destroy();
  else {
    // The rest of a body that is too large is not read.
    if (status.failure.code === 413) response.setHeader('Connection', 'close');
    sendStatusError(raw, response, status);
  }
}

/**
 * Refuses requests that a website makes a browser send: those with a Host that is a name of a domain, and those with
 * another Origin.
 * @throws {StatusError} 403
 */
function checkOrigin({ host = '', origin }: IncomingHttpHeaders): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 0 && !NAMES.has(name)) throw refused(`the host ${JSON.stringify(host)} is not this server`);
  // Some clients name http in any case. No website is at that address: the port speaks TLS only.
  if (origin === undefined || [`https://${host}`, `http://${host}`].includes(origin)) return;
  throw refused(`the origin ${JSON.stringify(origin)} may not use this server`);
}

function refused(why: string): StatusError {
  return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
}
