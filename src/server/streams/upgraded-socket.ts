import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** The connection of a request with the header Upgrade, and the bytes behind the request. */
export interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Answers a request for an upgrade with a refusal in plain text. */
export function refuseUpgrade(
  { socket }: UpgradedSocket,
  code: number,
  text: string,
  headers: ReadonlyArray<readonly [string, string]> = [],
): void {
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    'Connection: close',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.on('error', () => undefined);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
}
