import http, { type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { type ErrorCode, fromServer, isJsonObject, PodrunError, type ResourceType } from '../../api/index.ts';
import { guarded } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import type { ClusterAccess } from '../client/index.ts';

/** `pods is forbidden: User "x" cannot create resource "pods/log" in API group "" in the namespace "n"` */
const REFUSAL = /cannot (\w+) resource "([^"]*)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?/;

interface ClusterRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/api/v1/namespaces/x/pods` */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer whose body arrives bit by bit. */
export interface StreamedAnswer {
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the connection. */
  close(): void;
}

const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Forbidden',
  'InternalError',
  'Invalid',
  'NotFound',
  'RequestEntityTooLarge',
]);

/** The silence after which a server counts as gone, milliseconds. Streams have no such limit. */
const SILENCE_MAX_MS = 30_000;

/** The bytes of an error that are read. A Status has some hundred. */
const ERROR_BYTES_MAX = 1024 * 1024;

/** Requests to the API server of one cluster. */
export class ClusterConnection {
  readonly access: ClusterAccess;

  constructor(access: ClusterAccess) {
    this.access = access;
  }

  /**
   * Sends a request, and resolves with the object in the response.
   * @throws {PodrunError} with the server's reason when it refuses; (Unreachable) when it does not answer
   */
  async request<T>(request: ClusterRequest): Promise<T> {
    const answer = await this.#send(request);
    answer.setTimeout(SILENCE_MAX_MS, () => answer.destroy(new Error('the answer does not end')));
    const text = await textOf(answer).catch((error: unknown) => this.#unreachable(error));
    const object = quietly(() => JSON.parse(text) as unknown);
    return isJsonObject(object) ? (object as T) : this.#unreachable(new Error('its answer is no object'));
  }

  /**
   * Opens a streamed response: a watch, or a log.
   * @throws as `request`
   */
  async stream(path: string, query: Readonly<Record<string, string>>): Promise<StreamedAnswer> {
    const answer = await this.#send({ method: 'GET', path, query });
    // A server that vanishes without a word is noticed by TCP.
    answer.socket.setKeepAlive(true, SILENCE_MAX_MS);
    return { chunks: answer, close: () => answer.destroy() };
  }

  async #send({ method, path, query = {}, body }: ClusterRequest): Promise<IncomingMessage> {
    const url = new URL(this.access.server);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    url.search = new URLSearchParams(query).toString();
    const options = await this.access.requestOptions().catch((error: unknown) => this.#unreachable(error));
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(options.headers as OutgoingHttpHeaders | undefined),
      accept: 'application/json',
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const start = url.protocol === 'http:' ? http.request : https.request;
      const request = guarded(start(url, { ...options, method, headers }, resolve));
      request.setTimeout(SILENCE_MAX_MS, () => request.destroy(new Error('no answer')));
      request.on('response', () => request.setTimeout(0));
      request.on('error', reject);
      // Node.js says nothing else about an answer that switches to another protocol.
      request.on('close', () => reject(new Error('it sent no response')));
      request.end(text);
    }).catch((error: unknown) => this.#unreachable(error));
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw errorOf(statusCode, await textOf(answer, ERROR_BYTES_MAX).catch(() => ''));
  }

  #unreachable(error: unknown): never {
    const why = error instanceof Error ? error.message || error.name : String(error);
    throw new PodrunError('Unreachable', `the cluster of context "${this.access.context}" does not answer: ${why}`, {
      hint: `Its API server is ${this.access.server}.`,
      cause: error,
    });
  }
}

/** The body of an answer, or its beginning. */
async function textOf(answer: AsyncIterable<Buffer>, bytesMax = Infinity): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).toString();
}

/** The error for a response that is not a success. Its body is a Status, unless a proxy or another program sent it. */
function errorOf(status: number, text: string): PodrunError {
  const { reason = '', message = text.slice(0, 200) } = statusOf(text);
  if (status === 401) return fromServer('Unauthorized', message, 'Log in to the cluster again.');
  if (status === 410) return fromServer('Expired', message);
  // The paths of groups that a server does not have lead to a plain page.
  if (status === 404 && reason === '') return fromServer('NotFound', message.trim());
  const code = CODES.has(reason) ? (reason as ErrorCode) : 'InternalError';
  return fromServer(code, message, status === 403 ? missingRule(message) : undefined);
}

function statusOf(text: string): { readonly reason?: string; readonly message?: string } {
  const { reason, message } = (quietly(() => JSON.parse(text) as unknown) ?? {}) as Readonly<Record<string, unknown>>;
  return { ...(typeof reason === 'string' && { reason }), ...(typeof message === 'string' && { message }) };
}

/** The rule of a Role that is missing, as a sentence. Undefined: the server refused for another reason. */
export function missingRule(message: string): string | undefined {
  const refusal = REFUSAL.exec(message);
  if (refusal === null) return undefined;
  const [, verb = '', resource = '', group = '', namespace] = refusal;
  const place = namespace === undefined ? 'a ClusterRole' : `a Role of namespace ${namespace}`;
  const rule = { apiGroups: [group], resources: [resource], verbs: [verb] };
  return `An administrator of the cluster adds this rule to ${place} of yours: ${JSON.stringify(rule)}`;
}

type TypeInPath = Pick<ResourceType, 'apiVersion' | 'isNamespaced' | 'plural'>;

/** The path of all objects of a type, in a namespace if the type has namespaces. */
export function collectionPath({ apiVersion, plural, isNamespaced }: TypeInPath, namespace: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}${isNamespaced ? `/namespaces/${namespace}` : ''}/${plural}`;
}

/** The path of one object. */
export function objectPathOf(type: TypeInPath, namespace: string, name: string): string {
  return `${collectionPath(type, namespace)}/${name}`;
}
