import type { Duplex } from 'node:stream';
import { CarriedStream } from '../carried-stream.ts';
import { SpdyFrameReader } from './frame-reader.ts';
import { encodeSpdyFrame, RESET, type SpdyFrame, SpdyError } from './frames.ts';
import { HeaderReader, HeaderWriter } from './header-blocks.ts';

/** A stream that the client has opened, and what it says of the stream, by names in lower case. */
export interface SpdyStream {
  readonly stream: CarriedStream;
  readonly headers: ReadonlyMap<string, string>;
}

/** kubectl opens two streams for each connection that it forwards. */
const STREAMS_MAX = 512;
/** The bytes of replies that are kept for a client that asks without reading. Then its connection ends. */
const ANSWERS_BYTES_MAX = 256 * 1024;

/**
 * The server's side of a SPDY/3.1 connection, on any connection: a socket, or a tunnel inside a websocket. The client
 * opens the streams. A stream that is not read holds up all other streams, so that nothing is kept without end: clients
 * of Kubernetes neither send nor obey WINDOW_UPDATE.
 */
export class SpdyConnection {
  readonly #carrier: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #frames = new SpdyFrameReader();
  readonly #headers = new HeaderReader();
  readonly #replies = new HeaderWriter();
  readonly #streams = new Map<number, CarriedStream>();
  /** The streams that take no more data for now. */
  readonly #full = new Set<number>();
  #lastStreamId = 0;
  #answersBytes = 0;

  /** Settles when the connection is gone. Never rejects. */
  readonly closed: Promise<void>;

  constructor(carrier: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#carrier = carrier;
    this.#onStream = onStream;
    carrier.on('data', (piece: Buffer) => this.#read(piece));
    // The client has ended its side: it neither sends nor waits.
    carrier.once('end', () => this.#end());
    carrier.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      carrier.once('close', () => {
        this.#end();
        resolve();
      });
    });
  }

  /** Says goodbye, and ends the connection after all that was written. */
  close(): void {
    if (!this.#carrier.writable) return;
    this.#send({ type: 'goAway', lastStreamId: this.#lastStreamId, status: 0 });
    this.#carrier.end();
    // The client need not end its side in turn.
    this.#carrier.resume();
  }

  destroy(): void {
    this.#carrier.destroy();
  }

  #end(): void {
    for (const stream of this.#streams.values()) stream.destroy();
    this.#carrier.destroy();
  }

  #read(piece: Buffer): void {
    try {
      for (const frame of this.#frames.read(piece)) this.#take(frame);
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      this.#end();
    }
  }

  #take(frame: SpdyFrame): void {
    switch (frame.type) {
      case 'synStream':
        return this.#open(frame.streamId, frame.headers, frame.isLast);
      case 'data':
        return this.#data(frame.streamId, frame.chunk, frame.isLast);
      case 'rstStream':
        return void this.#streams.get(frame.streamId)?.destroy();
      case 'ping':
        return this.#send(frame);
      case 'synReply':
      case 'headers':
        // They are not needed, but the next headers refer to them.
        this.#headers.read(frame.headers);
        return undefined;
      case 'settings':
      case 'windowUpdate':
      case 'goAway':
        return;
      default:
        return frame satisfies never;
    }
  }

  #open(streamId: number, block: Buffer, isLast: boolean): void {
    const headers = this.#headers.read(block);
    // The client's streams have odd numbers, each higher than the one before.
    if (streamId % 2 === 0 || streamId <= this.#lastStreamId)
      throw new SpdyError(`a stream has the number ${streamId}`);
    this.#lastStreamId = streamId;
    if (this.#streams.size >= STREAMS_MAX) {
      return this.#send({ type: 'rstStream', streamId, status: RESET.refused });
    }
    const data = (chunk: Buffer, isLastPiece: boolean): Buffer =>
      encodeSpdyFrame({ type: 'data', streamId, chunk, isLast: isLastPiece });
    const stream = new CarriedStream({
      send: (chunk, sent) => void this.#carrier.write(data(chunk, false), sent),
      end: (sent) => void this.#carrier.write(data(Buffer.alloc(0), true), sent),
      wantsData: () => this.#resume(streamId),
      closed: (isCut) => {
        this.#streams.delete(streamId);
        if (isCut) this.#send({ type: 'rstStream', streamId, status: RESET.cancel });
        this.#resume(streamId);
      },
    });
    this.#streams.set(streamId, stream);
    this.#send({ type: 'synReply', streamId, headers: this.#replies.write(new Map()), isLast: false });
    this.#onStream({ stream, headers });
    if (isLast) stream.push(null);
  }

  #data(streamId: number, chunk: Buffer, isLast: boolean): void {
    const stream = this.#streams.get(streamId);
    if (streamId > this.#lastStreamId) throw new SpdyError(`data of a stream that is not open: ${streamId}`);
    // Data of a stream that has ended here is still on its way.
    if (stream === undefined) return;
    if (chunk.length > 0 && !stream.push(chunk)) {
      this.#full.add(streamId);
      this.#carrier.pause();
    }
    if (isLast) stream.push(null);
  }

  #resume(streamId: number): void {
    if (this.#full.delete(streamId) && this.#full.size === 0) this.#carrier.resume();
  }

  #send(frame: SpdyFrame): void {
    if (!this.#carrier.writable) return;
    const bytes = encodeSpdyFrame(frame);
    this.#answersBytes += bytes.length;
    if (this.#answersBytes > ANSWERS_BYTES_MAX) return void this.#carrier.destroy();
    this.#carrier.write(bytes, () => (this.#answersBytes -= bytes.length));
  }
}
