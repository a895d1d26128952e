import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { guarded } from '../../../defects.ts';
import { protocolsIn } from '../../../apiserver/index.ts';

/** A message of a client may not be larger. kubectl sends pieces of 32 KiB. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** The bytes that are kept for a client that pings without reading. Then its connection ends. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** The protocols that the client offers, in its order, without its token. */
export function offeredProtocols({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  return protocolsIn(headers['sec-websocket-protocol']);
}

/**
 * Completes the handshake of a websocket. A request that is no handshake gets the response 400.
 * @param protocol the chosen protocol. Empty: none. Names with a slash are no tokens, and ws refuses them: so podrun
 * reads and writes the header itself
 */
export function acceptWebSocket(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  protocol: string,
  onOpen: (client: WebSocket) => void,
): void {
  delete request.headers['sec-websocket-protocol'];
  const server = guarded(
    new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MESSAGE_BYTES_MAX,
      autoPong: false,
    }),
  );
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  server.handleUpgrade(request, socket, head, (opened) => {
    const client = guarded(opened);
    // A message that is too large or no message ends the connection: ws has closed it.
    client.on('error', () => undefined);
    client.on('ping', (payload) => {
      if (client.bufferedAmount > KEPT_BYTES_MAX) client.terminate();
      else client.pong(payload);
    });
    onOpen(client);
  });
}
