import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, nextPart } from '../clock.ts';
import { endWithAnswer } from '../network/index.ts';
import {
  type AggregatedVersion,
  type ApiAnswer,
  type ApiRequest,
  type ApiUser,
  apiVersionOf,
  asStatusError,
  authorize,
  authorizeConnection,
  checkParameters,
  hasAdmission,
  inDialect,
  loadPatterns,
  methodNotAllowed,
  noSuchPath,
  permitConnection,
  type ServerContext,
  StatusError,
} from '../apiserver/index.ts';
import { aggregatedRequest } from './aggregation/aggregated-request.ts';
import { passToBackend, passUpgradeToBackend } from './aggregation/pass-to-backend.ts';
import { handlerOf, upgradeHandlerOf } from './handlers.ts';
import { sendObject } from './reads/send-object.ts';
import { flushWatches } from './reads/watch.ts';
import { actingUser } from './http/acting-user.ts';
import { readRequestBody } from './http/read-body.ts';
import { loadProtobuf } from './http/protobuf.ts';
import { type RequestListeners, RequestRecord } from './http/request-record.ts';
import { sendStatusError, sendText } from './http/respond.ts';
import { AnswerWarnings } from './http/warnings.ts';
import { type RequestRouter, type Routed, verbOf } from './http/route-request.ts';
import { missingPage } from './http/plain-pages.ts';
import { isIP } from 'node:net';

/** The names under which clients reach the server. A Pod uses the names of the Service. */
const NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]);

/** The parts of the server that handle requests. */
export interface RequestParts {
  readonly context: ServerContext;
  readonly router: RequestRouter;
  readonly listeners: RequestListeners;
}

const SWITCHING_PROTOCOLS = 101;
/** The verbs that change nothing. */
const READS: ReadonlySet<ApiRequest['verb']> = new Set(['get', 'list', 'watch']);

type ObjectPath = Extract<Routed, { route: undefined }>;

/** Handles a request: path, user, permission, handler. */
export async function answerRequest(
  { context, router, listeners }: RequestParts,
  raw: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const record = new RequestRecord(listeners, raw);
  response.setHeader('Audit-Id', record.about.id);
  response.once('close', () => record.ends(response.statusCode));
  const warnings = new AnswerWarnings(response, context.config.dialect);
  let about: { resource: ObjectPath['resource']; name: string } | undefined;
  try {
    checkOrigin(raw.headers);
    const foreign = context.aggregated.at(raw.url ?? '');
    if (foreign !== undefined) {
      const user = admittedTo(foreign, { raw, record }, context);
      await send(await passToBackend({ version: foreign, raw, user }, context), { context, raw, response });
      return;
    }
    await loadProtobuf(raw.headers.accept);
    const routed = router.find(raw);
    if ((raw.method === 'HEAD' || raw.method === 'OPTIONS') && !takesAny(routed)) throw methodNotAllowed();
    record.page = routed?.route?.path;
    const isPublic = routed?.route?.isPublic === true && context.config.refusesAnonymous !== true;
    if (!isPublic || (raw.method !== 'GET' && raw.method !== 'HEAD')) {
      const user = actingUser(raw, context);
      record.about.user = user;
      if (routed !== undefined && routed.route === undefined) {
        about = { resource: routed.resource, name: routed.name ?? '' };
        const request = apiRequest(routed, {
          raw,
          user,
          clock: context.clock,
          warn: (text) => warnings.add(text),
          annotate: (annotations) => record.annotate(annotations),
        });
        record.handles(request);
        checkParameters(request);
        permit(request, record, context);
        warnings.add(routed.resource.deprecation ?? '');
        if (isChecked(request, context)) await loadPatterns();
        if (isProxied(routed)) await permitConnection(request, context);
        await nextPart(context.clock);
        const answer = await handlerOf(request)(request, context);
        if ('stream' in answer) record.streams(response.statusCode);
        else if (!READS.has(request.verb)) flushWatches();
        await send(answer, { request, context, raw, response });
        return;
      }
      permit({ user, path: raw.url ?? '', method: raw.method ?? '' }, record, context);
    }
    if (routed?.route === undefined) return await send(missingPage(raw.url ?? '', context), { context, raw, response });
    const { route, params } = routed;
    const answer = await route.answer({ params, query: queryOf(raw), raw }, context);
    await send(answer, { context, raw, response });
  } catch (error) {
    fail(error, about, raw, response, context);
  }
}

/** Passes a connection to its handler: exec, attach, port-forward, a proxied websocket. */
export async function answerUpgrade(
  { context, router, listeners }: RequestParts,
  raw: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  let code = SWITCHING_PROTOCOLS;
  const upgraded = { socket, head, onRefusal: (refusal: number) => void (code = refusal) };
  const record = new RequestRecord(listeners, raw);
  socket.once('close', () => record.ends(code));
  try {
    checkOrigin(raw.headers);
    const foreign = context.aggregated.at(raw.url ?? '');
    if (foreign !== undefined) {
      const user = admittedTo(foreign, { raw, record }, context);
      await passUpgradeToBackend({ version: foreign, raw, user }, upgraded, context);
      return;
    }
    const routed = router.find(raw);
    const user = actingUser(raw, context);
    record.about.user = user;
    if (routed === undefined || routed.route !== undefined) throw noSuchPath();
    const request = apiRequest(routed, {
      raw,
      user,
      clock: context.clock,
      warn: () => undefined,
      annotate: (annotations) => record.annotate(annotations),
    });
    record.handles(request);
    permit(request, record, context);
    authorizeConnection(request, context);
    if (hasAdmission(context)) await loadPatterns();
    await permitConnection(request, context);
    await upgradeHandlerOf(request)(request, upgraded, context);
  } catch (error) {
    const status = asStatusError(error);
    code = status.failure.code;
    endWithAnswer(socket, { code, type: 'application/json', text: JSON.stringify(status.body) });
  }
}

/**
 * The user of a request for another API server, who may make it.
 * @throws {StatusError} 401, 403
 */
function admittedTo(
  version: AggregatedVersion,
  { raw, record }: { readonly raw: IncomingMessage; readonly record: RequestRecord },
  context: ServerContext,
): ApiUser {
  const user = actingUser(raw, context);
  record.about.user = user;
  record.page = `/apis/${apiVersionOf(version)}`;
  const request = aggregatedRequest(raw, user, version);
  if (request !== undefined) record.about.request = request;
  permit(request ?? { user, path: raw.url ?? '', method: raw.method ?? '' }, record, context);
  return user;
}

/**
 * Refuses what a user may not do. The audit event says how that was decided.
 * Source: apiserver/pkg/endpoints/filters/authorization.go.
 * @throws {StatusError} 403
 */
function permit(request: Parameters<typeof authorize>[0], record: RequestRecord, context: ServerContext): void {
  const decided = (decision: string, reason: string): void =>
    record.annotate({ 'authorization.k8s.io/decision': decision, 'authorization.k8s.io/reason': reason });
  try {
    decided('allow', authorize(request, context));
  } catch (error) {
    decided('forbid', '');
    throw error;
  }
}

function isProxied(routed: Routed | undefined): boolean {
  return routed !== undefined && routed.route === undefined && routed.subresource === 'proxy';
}

/** True where every method is taken: by a proxy, and by the pages that say whether the server is well. */
function takesAny(routed: Routed | undefined): boolean {
  if (routed?.route === undefined) return isProxied(routed);
  return routed.route.method === undefined;
}

/** True for a write of an object that rules and patterns of users may be about. */
function isChecked({ verb, resource, subresource }: ApiRequest, context: ServerContext): boolean {
  const isRead = verb === 'get' || verb === 'list' || verb === 'watch';
  if (subresource === 'proxy') return hasAdmission(context);
  return !isRead && (resource.custom !== undefined || hasAdmission(context));
}

function apiRequest(
  path: ObjectPath,
  { clock, ...about }: Pick<ApiRequest, 'raw' | 'user' | 'warn' | 'annotate'> & { readonly clock: Clock },
): ApiRequest {
  const { resource, namespace, name, subresource, rest } = path;
  const { raw } = about;
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
  return { ...about, verb, resource, namespace, name, subresource, rest, query, headers, body: readOnce };
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
  else await sendObject(answer, { raw, response, request, clock: context.clock, ...context.config });
}

function fail(
  error: unknown,
  about: Parameters<typeof asStatusError>[1],
  raw: IncomingMessage,
  response: ServerResponse,
  { report, config }: ServerContext,
): void {
  const status = inDialect(asStatusError(error, about), config.dialect);
  if (status.failure.code === 500 && !(error instanceof StatusError))
    report(`${raw.method} ${raw.url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  // A real server refuses other types of bodies before it looks for what there is to warn of.
  if (status.failure.code === 415 && !response.headersSent) response.removeHeader('Warning');
  if (response.headersSent) response.destroy();
  else {
    // The rest of a body that is too large is not read.
    if (status.failure.code === 413) response.setHeader('Connection', 'close');
    sendStatusError(raw, response, status);
  }
}

/**
 * Refuses requests that a website makes a browser send: those with a Host that is a name of a domain, and those with
 * another Origin and no bearer token: a browser never adds one, and some programs always send an Origin.
 * @throws {StatusError} 403
 */
function checkOrigin({ host = '', origin, authorization = '' }: IncomingHttpHeaders): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 0 && !NAMES.has(name)) throw refused(`the host ${JSON.stringify(host)} is not this server`);
  if (origin === undefined || /^Bearer +\S/i.test(authorization)) return;
  // Some clients name http in any case. No website is at that address: the port speaks TLS only.
  if ([`https://${host}`, `http://${host}`].includes(origin)) return;
  throw refused(`the origin ${JSON.stringify(origin)} may not use this server`);
}

function refused(why: string): StatusError {
  return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
}
