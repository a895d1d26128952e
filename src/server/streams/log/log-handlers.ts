import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { inBackground } from '../../../defects.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ServerContext,
  SubresourceHandlers,
  UpgradedSocket,
} from '../../../apiserver/index.ts';
import { acceptWebSocket, offeredProtocols } from '../channels/accept-websocket.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { requestedLog } from './open-log.ts';

/** `pods/log`: as plain text, or in the messages of a websocket. */
export const LOG: SubresourceHandlers = { get: plainLog, upgrade: logOverWebSocket };

/** The protocols of logs, and how their messages are written. Source: apiserver wsstream NewDefaultReaderProtocols. */
const PROTOCOLS: ReadonlyMap<string, BufferEncoding | undefined> = new Map([
  ['', undefined],
  ['binary.k8s.io', undefined],
  ['base64.binary.k8s.io', 'base64'],
]);

function plainLog(request: ApiRequest, context: ServerContext): ApiAnswer {
  const gone = new AbortController();
  const pieces = requestedLog(request, context, AbortSignal.any([gone.signal, context.signal]));
  return {
    stream: async (response) => {
      response.once('close', () => gone.abort());
      if (response.destroyed) gone.abort();
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.flushHeaders();
      for await (const piece of pieces) await write(response, piece);
      response.end();
    },
  };
}

/** Resolves when the client takes the next piece, or is gone. */
async function write(response: ServerResponse, piece: Buffer): Promise<void> {
  if (response.destroyed || response.write(piece)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.once('drain', go).once('close', go);
  });
}

function logOverWebSocket(request: ApiRequest, upgraded: UpgradedSocket, context: ServerContext): void {
  const gone = new AbortController();
  const pieces = requestedLog(request, context, AbortSignal.any([gone.signal, context.signal]));
  const offered = offeredProtocols(request.raw);
  const protocol = offered.length === 0 ? '' : offered.find((word) => PROTOCOLS.has(word));
  if (protocol === undefined) return refuseUpgrade(upgraded, 403, '');
  acceptWebSocket(request.raw, upgraded, protocol, (client) => {
    client.once('close', () => gone.abort());
    inBackground(sendAll(client, pieces, PROTOCOLS.get(protocol)).finally(() => client.close(1000)));
  });
}

async function sendAll(
  client: WebSocket,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  encoding: BufferEncoding | undefined,
): Promise<void> {
  for await (const piece of pieces) {
    if (client.readyState !== client.OPEN) return;
    const message = encoding === undefined ? piece : piece.toString(encoding);
    // The callback is called when the client has room for the next piece, or is gone.
    await new Promise<void>((resolve) => {
      client.send(message, () => resolve());
    });
  }
}
