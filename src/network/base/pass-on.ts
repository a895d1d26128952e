import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { guarded } from '../../defects.ts';
import { headBytes, isFinalStatus, reasonPhrase } from './raw-answer.ts';
import { splice } from './connections.ts';

/** The headers of one connection. Node writes the headers of the next connection. Source: RFC 9110, 7.6.1. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The bytes of the head of an answer. */
const HEAD_BYTES_MAX = 64 * 1024;
/** The most interim responses (`100 Continue`, `103 Early Hints`) before the response. */
const INTERIM_MAX = 100;
/**
 * The time in which a program responds to a request for another protocol: podrun does not notice meanwhile that a
 * client left.
 */
const SWITCH_TIMEOUT_MS = 60_000;

/** The next connection of a request, and its path and headers there. */
export interface NextConnection {
  readonly socket: Socket;
  readonly path: string;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
}

interface Passing extends NextConnection {
  /** Changes the headers of the response: names and values, one after the other. Default: they stay unchanged. */
  readonly rewriteHeaders?: (headers: readonly string[], answer: IncomingMessage) => readonly string[];
  /** Called when the connection fails before an answer, or when what comes on it is not HTTP. */
  readonly onError: (error: Error) => void;
  /** Called for a valid HTTP response that must not be forwarded: the program is a bad gateway. */
  readonly onRefusal: (why: string) => void;
}

interface UpgradePassing extends Passing {
  /** Called with the code of a response that does not switch. */
  readonly onOtherAnswer?: (code: number) => void;
}

interface RequestPassing extends Passing {
  /** The steps that change the body of the response. Undefined: it stays unchanged. */
  readonly through?: (answer: IncomingMessage) => Promise<readonly Duplex[]> | undefined;
}

/**
 * Leads a request to another connection, and the response back. Nothing that comes on that connection is thrown: one of
 * the two callbacks is called once, if no head has gone to the client, and else the connection of the client is cut.
 */
export function passRequestOn(incoming: IncomingMessage, outgoing: ServerResponse, passing: RequestPassing): void {
  if (outgoing.destroyed) return void passing.socket.destroy();
  // A pipeline has many listeners. They end with the response, and Node.js would warn of them on standard error.
  outgoing.setMaxListeners(0);
  const headers = [...passing.headers, ...bodyHeaders(incoming), 'Connection', 'close'];
  const sent = ask(
    incoming,
    { ...passing, headers },
    {
      onAnswer: (answer, refuse) => passAnswer(answer, outgoing, passing, refuse),
      onSwitch: (_, socket, __, refuse) => {
        socket.destroy();
        refuse('it has switched to another protocol without a request');
      },
    },
  );
  if (sent === undefined) return;
  outgoing.once('close', () => sent.destroy());
  // No pipeline: that would end the connection of the client together with this one, before the client gets its
  // response.
  incoming.pipe(sent);
}

function passAnswer(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  { rewriteHeaders, through }: RequestPassing,
  refuse: Refuse,
): void {
  const head = headOf(answer, rewriteHeaders);
  if ('refused' in head) return refuse(head.refused);
  const sendHead = (): void => {
    outgoing.writeHead(head.status, head.reason, head.headers.flat());
    // `flushHeaders` would encode the bytes of the head once more.
    outgoing.write(Buffer.alloc(0));
  };
  const steps = through?.(answer);
  if (steps !== undefined) {
    steps
      .then((between) => passChanged(answer, between, outgoing, { sendHead, refuse }))
      .catch(() => outgoing.destroy());
    return;
  }
  sendHead();
  pipeline(answer, outgoing, () => undefined);
}

/** Passes the body of an answer on through steps. The head waits for their first bytes: the body may be unreadable. */
function passChanged(
  answer: IncomingMessage,
  steps: readonly Duplex[],
  outgoing: ServerResponse,
  { sendHead, refuse }: { readonly sendHead: () => void; readonly refuse: Refuse },
): void {
  // Heard of each step: on Node 22, the pipeline itself does not tell when the first one fails at once.
  let isOver = false;
  const fail = (error: Error): void => {
    if (!isOver && outgoing.headersSent) outgoing.destroy();
    else if (!isOver) refuse(`its page cannot be read: ${error.message}`);
    isOver = true;
  };
  for (const step of [answer, ...steps]) step.once('error', fail);
  const last = pipeline([answer, ...steps], () => undefined) as unknown as Duplex;
  last.once('readable', () => {
    if (isOver) return;
    sendHead();
    pipeline(last, outgoing, () => undefined);
  });
}

/** Ends a request whose response must not be forwarded. */
type Refuse = (why: string) => void;

/** Called with the response to a request, or with its switch to another protocol. Neither is called after a refusal. */
interface ResponseHandlers {
  readonly onAnswer: (answer: IncomingMessage, refuse: Refuse) => void;
  readonly onSwitch: (answer: IncomingMessage, socket: Socket, first: Buffer, refuse: Refuse) => void;
}

/** Opens a request on a connection. Undefined: it cannot be sent, and `onError` was called. */
function ask({ method }: IncomingMessage, passing: Passing, handlers: ResponseHandlers): ClientRequest | undefined {
  const { socket, path, headers, onError, onRefusal } = passing;
  let sent: ClientRequest;
  try {
    const createConnection = (): Socket => socket;
    sent = guarded(request({ method, path, headers: [...headers], maxHeaderSize: HEAD_BYTES_MAX, createConnection }));
  } catch (error) {
    socket.destroy();
    onError(error as Error);
    return undefined;
  }
  // None is left out: their bytes are bounded.
  sent.maxHeadersCount = 0;
  let isRefused = false;
  const refuse: Refuse = (why) => {
    if (isRefused) return;
    isRefused = true;
    sent.destroy();
    onRefusal(why);
  };
  let answer: IncomingMessage | undefined;
  let interim = 0;
  sent.on('information', () => {
    interim += 1;
    if (interim > INTERIM_MAX) refuse('it has sent too many interim responses');
  });
  sent.on('response', (response) => {
    answer = response;
    if (!isRefused) handlers.onAnswer(response, refuse);
  });
  sent.on('upgrade', (response, upgraded, first) => {
    if (isRefused) upgraded.destroy();
    else handlers.onSwitch(response, upgraded, first, refuse);
  });
  sent.on('error', (error) => {
    if (answer === undefined && !isRefused) onError(error);
    // Bytes behind a whole answer count for nothing.
    else if (answer?.complete === false) answer.destroy(error);
  });
  return sent;
}

/** The header for a body of unknown length: without it, the body of a GET or DELETE would arrive as another request. */
function bodyHeaders({ headers }: IncomingMessage): string[] {
  return headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
}

interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [string, string])[];
}

type Head = AnswerHead | { readonly refused: string };

/** The head of the answer of a program that switches protocols. Source: Go's net/http/httputil, ReverseProxy. */
function switchHead(answer: IncomingMessage, requested: string, rewriteHeaders: Passing['rewriteHeaders']): Head {
  const { upgrade = '' } = answer.headers;
  if (upgrade.toLowerCase() !== requested.toLowerCase())
    return { refused: `it has switched to ${JSON.stringify(upgrade)} when ${JSON.stringify(requested)} was asked for` };
  const head = shownHead(answer, rewriteHeaders);
  if ('refused' in head) return head;
  return { ...head, headers: [['Connection', 'Upgrade'], ['Upgrade', upgrade], ...head.headers] };
}

/** The head of a program's response for the client, or why it must not be forwarded. */
function headOf(answer: IncomingMessage, rewriteHeaders: Passing['rewriteHeaders']): Head {
  const { statusCode } = answer;
  return isFinalStatus(statusCode)
    ? shownHead(answer, rewriteHeaders)
    : { refused: `its status code is ${statusCode}` };
}

function shownHead(answer: IncomingMessage, rewriteHeaders: Passing['rewriteHeaders']): Head {
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = answer;
  const kept = sentOn(rawHeaders);
  const headers = headerPairs(rewriteHeaders === undefined ? kept : rewriteHeaders(kept, answer));
  try {
    for (const [name, value] of headers) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch (error) {
    return { refused: (error as Error).message };
  }
  return { status, reason: reasonPhrase(statusMessage), headers };
}

/**
 * Leads the connection of a request for another protocol (WebSocket) to another one, once the program behind that has
 * switched. Any other answer goes back and ends the connection: a second request of the client, perhaps with its
 * credentials, does not reach the program.
 */
export function passUpgradeOn(
  incoming: IncomingMessage,
  { client, head }: { readonly client: Socket; readonly head: Buffer },
  passing: UpgradePassing,
): void {
  if (client.destroyed) return void passing.socket.destroy();
  const { upgrade = '', 'content-length': length = '0' } = incoming.headers;
  const headers = [...passing.headers, 'Connection', 'Upgrade', 'Upgrade', upgrade];
  const sent = ask(
    incoming,
    { ...passing, headers },
    {
      onAnswer: (answer, refuse) => {
        answer.socket.setTimeout(0);
        const head = headOf(answer, passing.rewriteHeaders);
        if ('refused' in head) return refuse(head.refused);
        passing.onOtherAnswer?.(head.status);
        client.write(headBytes(head.status, head.reason, [['Connection', 'close'], ...head.headers]));
        pipeline(answer, client, () => client.destroySoon());
      },
      onSwitch: (answer, socket, first, refuse) => {
        const head = switchHead(answer, upgrade, passing.rewriteHeaders);
        if ('refused' in head) {
          socket.destroy();
          return refuse(head.refused);
        }
        socket.setTimeout(0);
        client.write(headBytes(head.status, head.reason, head.headers));
        if (first.length > 0) client.write(first);
        splice(client, socket);
      },
    },
  );
  if (sent === undefined) return;
  sent.setTimeout(SWITCH_TIMEOUT_MS, () => sent.destroy(new Error('it does not answer')));
  client.once('close', () => sent.destroy());
  if (head.length > 0) client.unshift(head);
  // No other code reads the connection until the switch: without this, its end would not be noticed.
  client.read(0);
  endWithBody(sent, client, Number(length)).catch(() => sent.destroy());
}

/** Ends a request with its body, which comes from the connection of the client. What follows waits for the switch. */
async function endWithBody(sent: ClientRequest, client: Socket, length: number): Promise<void> {
  if (length === 0) return void sent.end();
  for (;;) {
    const body = client.read(length) as Buffer | null;
    if (body !== null || !client.readable) return void sent.end(body);
    await once(client, 'readable');
  }
}

/** The headers for the next connection, in their order, with repetitions. */
export function sentOn(rawHeaders: readonly string[]): string[] {
  const named = new Set(
    headerPairs(rawHeaders)
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase())),
  );
  return headerPairs(rawHeaders)
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return !OF_CONNECTION.has(lower) && !named.has(lower);
    })
    .flat();
}

/** The clients of a request: the clients that its headers name, then its sender. */
export function forwardedFor({ headers, socket: { remoteAddress = '' } }: IncomingMessage): string {
  const address = remoteAddress.replace(/^::ffff:/, '');
  const before = headers['x-forwarded-for'];
  return before === undefined ? address : `${String(before)}, ${address}`;
}

/** The headers of `rawHeaders`, in their order, with repetitions. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
}
