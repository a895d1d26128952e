import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { splice } from './splice.ts';

/** The headers of one connection. Node writes those of the next one. Source: RFC 9110, 7.6.1. */
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

/** The connection that a request goes on to, and its path and headers there. */
export interface NextConnection {
  readonly socket: Socket;
  readonly path: string;
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
}

interface RequestPassing extends NextConnection {
  /** Changes the headers of the response: names and values, one after the other. Default: they stay as they are. */
  readonly answered?: (headers: readonly string[], answer: IncomingMessage) => readonly string[];
  /** The steps that change the body of the response. Undefined: it stays as it is. */
  readonly through?: (answer: IncomingMessage) => Promise<readonly Duplex[]> | undefined;
  readonly onError: (error: Error) => void;
}

/** Leads a request to another connection, and the response back. */
export function passRequestOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { socket, path, headers, answered = (given) => given, through, onError }: RequestPassing,
): void {
  const { method } = incoming;
  const all = [...headers, 'Connection', 'close'];
  const asked = request({ method, path, headers: all, createConnection: () => socket });
  asked.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
      ...answered(sentOn(answer.rawHeaders), answer),
    ]);
    outgoing.flushHeaders();
    passBody(answer, outgoing, through?.(answer));
  });
  asked.on('error', onError);
  outgoing.once('close', () => asked.destroy());
  pipeline(incoming, asked, () => undefined);
}

function passBody(answer: IncomingMessage, outgoing: ServerResponse, steps?: Promise<readonly Duplex[]>): void {
  const pass = (between: readonly Duplex[]): unknown => pipeline([answer, ...between, outgoing], () => undefined);
  if (steps === undefined) pass([]);
  else steps.then(pass).catch(() => outgoing.destroy());
}

/** Leads the connection of a request for another protocol (WebSocket) to another connection. */
export function passUpgradeOn(
  { method = 'GET' }: IncomingMessage,
  { client, head }: { readonly client: Socket; readonly head: Buffer },
  { socket, path, headers }: NextConnection,
): void {
  const lines = headerPairs(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(head);
  splice(client, socket);
}

/** The headers that go on to the next connection, in their order, with repetitions. */
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

/** The headers of `rawHeaders`, in their order, with repetitions. */
export function headerPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
}
