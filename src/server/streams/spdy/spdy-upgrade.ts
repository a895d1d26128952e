import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SpdyConnection, type SpdyStream } from './spdy-connection.ts';

const VERSION_HEADER = 'X-Stream-Protocol-Version';

/** True when the request asks to speak SPDY. */
export function isSpdyRequest({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return (headers.upgrade ?? '').toLowerCase() === 'spdy/3.1';
}

/** The protocol to speak inside SPDY, or the refusal. Source: apimachinery/pkg/util/httpstream/httpstream.go. */
export type SpdyProtocol =
  | { readonly ok: true; readonly protocol: string }
  | {
      readonly ok: false;
      readonly code: number;
      readonly text: string;
      readonly headers: ReadonlyArray<readonly [string, string]>;
    };

/** Chooses the first protocol of the client that the server has, too. */
export function chooseSpdyProtocol(
  { headers }: Pick<IncomingMessage, 'headers'>,
  own: readonly string[],
): SpdyProtocol {
  const value = headers[VERSION_HEADER.toLowerCase()] ?? '';
  const offered = String(value)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (offered.length === 0) {
    return { ok: false, code: 400, text: `unable to upgrade: ${VERSION_HEADER} is required`, headers: [] };
  }
  const protocol = offered.find((word) => own.includes(word));
  if (protocol !== undefined) return { ok: true, protocol };
  const both = `client supports [${offered.join(' ')}], server accepts [${own.join(' ')}]`;
  return {
    ok: false,
    code: 403,
    text: `unable to upgrade: unable to negotiate protocol: ${both}`,
    headers: own.map((word) => ['X-Accepted-Stream-Protocol-Versions', word] as const),
  };
}

/** Completes the handshake, and continues in SPDY. */
export function acceptSpdy(
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  protocol: string,
  onStream: (opened: SpdyStream) => void,
): SpdyConnection {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    `${VERSION_HEADER}: ${protocol}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return new SpdyConnection(socket, onStream);
}
