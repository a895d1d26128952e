import type { RawData, WebSocket } from 'ws';
import { CarriedStream } from '../carried-stream.ts';
import { type ChannelProtocol, decodeChannelMessage, encodeChannelMessage } from './channel-protocols.ts';

const NORMAL = 1000;

/**
 * The channels of a websocket. A channel that is not read holds up the whole connection, so that nothing is kept
 * without end.
 */
export class ChannelConnection {
  readonly protocol: ChannelProtocol;
  readonly #client: WebSocket;
  readonly #channels = new Map<number, CarriedStream>();
  /** The channels that take no more data for now. */
  readonly #full = new Set<number>();

  /** Settles when the connection is gone. Never rejects. */
  readonly closed: Promise<void>;

  constructor(client: WebSocket, protocol: ChannelProtocol) {
    this.#client = client;
    this.protocol = protocol;
    client.on('message', (message) => this.#take(bytesOf(message)));
    this.closed = new Promise((resolve) => {
      client.once('close', () => {
        for (const channel of this.#channels.values()) channel.destroy();
        resolve();
      });
    });
  }

  /** Opens a channel. Messages of the client for channels that are not open are dropped. */
  open(number: number): CarriedStream {
    const channel = new CarriedStream({
      send: (chunk, sent) => this.#client.send(encodeChannelMessage(this.protocol, number, chunk), sent),
      end: (sent) => sent(),
      wantsData: () => this.#resume(number),
      closed: () => {
        this.#channels.delete(number);
        this.#resume(number);
      },
    });
    this.#channels.set(number, channel);
    return channel;
  }

  /** Sends an empty message on a channel. */
  greet(number: number): void {
    this.#client.send(encodeChannelMessage(this.protocol, number, Buffer.alloc(0)));
  }

  /** Ends the connection after all that was written. */
  close(): void {
    this.#full.clear();
    this.#client.resume();
    this.#client.close(NORMAL);
  }

  #take(bytes: Buffer): void {
    const message = decodeChannelMessage(this.protocol, bytes);
    const channel = message && this.#channels.get(message.channel);
    if (message === undefined || channel === undefined) return;
    if (message.type === 'end') return void channel.push(null);
    if (message.chunk.length === 0 || channel.push(message.chunk)) return;
    this.#full.add(message.channel);
    this.#client.pause();
  }

  #resume(number: number): void {
    if (this.#full.delete(number) && this.#full.size === 0) this.#client.resume();
  }
}

function bytesOf(message: RawData): Buffer {
  if (Buffer.isBuffer(message)) return message;
  return Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message);
}
