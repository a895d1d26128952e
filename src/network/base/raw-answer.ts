import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** The codes of a final response. Codes below are interim responses, and Node.js writes none above. */
const [FIRST, LAST] = [200, 999];
const INTERNAL_ERROR = 500;

/** True for the status code of an answer that may be written. Those above 599 mean nothing, but are common. */
export function isFinalStatus(code: unknown): code is number {
  return Number.isInteger(code) && Number(code) >= FIRST && Number(code) <= LAST;
}

/** A status code for an answer: 500 in place of one that cannot be written. */
export function writableStatus(code: unknown): number {
  return isFinalStatus(code) ? code : INTERNAL_ERROR;
}

/** The text of a status line without the characters that may not stand there. */
export function reasonPhrase(text: string): string {
  return text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '');
}

/** The first line and the headers of an answer, as bytes. */
export function headBytes(code: number, reason: string, headers: readonly (readonly [string, string])[]): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  // Headers are bytes: Node.js reads each as a character.
  return Buffer.from(`HTTP/1.1 ${code} ${reasonPhrase(reason)}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** A short answer. */
export interface RawAnswer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: readonly (readonly [string, string])[];
}

/** Sends a response on a connection that no server of Node.js serves any more, and ends it. */
export function endWithAnswer(socket: Duplex, { code, type, text, headers = [] }: RawAnswer): void {
  if (socket.destroyed || !socket.writable) return;
  const status = writableStatus(code);
  const head = headBytes(status, STATUS_CODES[status] ?? 'Unknown', [
    ['Connection', 'close'],
    ['Content-Type', type],
    ['Content-Length', String(Buffer.byteLength(text))],
    ...headers,
  ]);
  socket.on('error', () => undefined);
  socket.end(Buffer.concat([head, Buffer.from(text)]));
  // The end of the client is heard, too.
  socket.resume();
}
