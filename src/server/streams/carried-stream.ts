import { Duplex } from 'node:stream';
import { guarded } from '../../defects.ts';

/** The connection that carries several streams, as one of them uses it. */
export interface StreamCarrier {
  /** Sends a piece of the stream. Calls back when the next one may come. */
  send(chunk: Buffer, sent: (error?: Error | null) => void): void;
  /** Says that the stream has no more to send. */
  end(sent: (error?: Error | null) => void): void;
  /** Called when the stream takes data again, also when it did all the time. */
  wantsData(): void;
  /** Called when the stream is over. `isCut`: one side had not ended. */
  closed(isCut: boolean): void;
}

/** The bytes that are kept while a stream is not read. After that its whole connection waits. */
const KEPT_BYTES = 64 * 1024;

/** One of several streams on a connection. Each of its two sides ends on its own. */
export class CarriedStream extends Duplex {
  readonly #carrier: StreamCarrier;

  constructor(carrier: StreamCarrier) {
    super({ allowHalfOpen: true, readableHighWaterMark: KEPT_BYTES, writableHighWaterMark: KEPT_BYTES });
    this.#carrier = carrier;
    // The end of the connection ends its streams: their users see the end, and the error concerns no other code.
    this.on('error', () => undefined);
    guarded(this);
  }

  override _read(): void {
    this.#carrier.wantsData();
  }

  override _write(chunk: Buffer, _: string, sent: (error?: Error | null) => void): void {
    this.#carrier.send(chunk, sent);
  }

  override _final(sent: (error?: Error | null) => void): void {
    this.#carrier.end(sent);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#carrier.closed(!this.readableEnded || !this.writableFinished);
    done(error);
  }
}
