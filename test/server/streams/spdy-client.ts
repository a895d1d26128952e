import type { Duplex } from 'node:stream';
import { SpdyFrameReader } from '../../../src/server/streams/spdy/frame-reader.ts';
import { encodeSpdyFrame, type SpdyFrame } from '../../../src/server/streams/spdy/frames.ts';
import { HeaderWriter } from '../../../src/server/streams/spdy/header-blocks.ts';

/** The client's side of a SPDY connection, as kubectl speaks it. */
export class SpdyClient {
  readonly frames: SpdyFrame[] = [];
  readonly closed: Promise<void>;
  readonly #carrier: Duplex;
  readonly #headers = new HeaderWriter();
  #nextId = 1;
  #onFrame: () => void = () => undefined;

  constructor(carrier: Duplex) {
    this.#carrier = carrier;
    const reader = new SpdyFrameReader();
    carrier.on('data', (piece: Buffer) => {
      this.frames.push(...reader.read(piece));
      this.#onFrame();
    });
    carrier.on('error', () => undefined);
    carrier.once('end', () => carrier.end());
    this.closed = new Promise((resolve) => void carrier.once('close', () => resolve()));
  }

  send(...frames: readonly SpdyFrame[]): void {
    for (const frame of frames) this.#carrier.write(encodeSpdyFrame(frame));
  }

  /** Opens a stream; answers its number. */
  open(headers: Readonly<Record<string, string>>, isLast = false): number {
    const streamId = this.#nextId;
    this.#nextId += 2;
    this.send({ type: 'synStream', streamId, headers: this.#headers.write(new Map(Object.entries(headers))), isLast });
    return streamId;
  }

  write(streamId: number, text: string | Buffer, isLast = false): void {
    this.send({ type: 'data', streamId, chunk: Buffer.from(text), isLast });
  }

  /** The data of a stream so far. */
  text(streamId: number): string {
    const pieces = this.frames.flatMap((frame) =>
      frame.type === 'data' && frame.streamId === streamId ? [frame.chunk] : [],
    );
    return Buffer.concat(pieces).toString();
  }

  isEnded(streamId: number): boolean {
    return this.frames.some((frame) => frame.type === 'data' && frame.streamId === streamId && frame.isLast);
  }

  /** Resolves when the frames so far meet the condition. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#onFrame = resolve));
  }
}
