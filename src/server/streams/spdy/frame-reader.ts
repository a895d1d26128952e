import { CONTROL, CONTROL_BIT, FLAG_LAST, HEAD_BYTES, type SpdyFrame, SpdyError, VERSION } from './frames.ts';

/** The largest control frame. Clients of Kubernetes send some hundred bytes. */
const CONTROL_BYTES_MAX = 64 * 1024;

const STREAM_BITS = 0x7fff_ffff;
/** Behind the id of the stream in SYN_STREAM: the other stream, the priority and the slot. */
const SYN_STREAM_HEAD_BYTES = 10;

/** A data frame that has not arrived whole. */
interface OpenData {
  readonly streamId: number;
  readonly isLast: boolean;
  bytesLeft: number;
}

/**
 * Joins the pieces of a connection into frames. Data is passed on as it arrives, so that no more than one control frame
 * is kept here; `isLast` is true at the last piece of the last data frame of a stream.
 */
export class SpdyFrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #data: OpenData | undefined;

  /** @throws {SpdyError} for bytes that are no frames */
  read(piece: Buffer): SpdyFrame[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const frames: SpdyFrame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next())
      if (frame !== 'ignored') frames.push(frame);
    // A small rest must not keep the whole piece alive.
    if (this.#rest.length > 0) this.#rest = Buffer.from(this.#rest);
    return frames;
  }

  #next(): SpdyFrame | 'ignored' | undefined {
    if (this.#data !== undefined) return this.#nextData(this.#data);
    if (this.#rest.length < HEAD_BYTES) return undefined;
    const flags = this.#rest.readUInt8(4);
    const length = this.#rest.readUInt32BE(4) & 0xff_ffff;
    if ((this.#rest.readUInt8() & CONTROL_BIT) === 0) {
      const streamId = this.#rest.readUInt32BE() & STREAM_BITS;
      const data = { streamId, isLast: (flags & FLAG_LAST) !== 0, bytesLeft: length };
      this.#rest = this.#rest.subarray(HEAD_BYTES);
      if (length === 0) return { type: 'data', streamId, chunk: Buffer.alloc(0), isLast: data.isLast };
      this.#data = data;
      return this.#nextData(data);
    }
    const version = this.#rest.readUInt16BE() & 0x7fff;
    if (version !== VERSION) throw new SpdyError(`the client speaks version ${version} of SPDY, not ${VERSION}`);
    if (length > CONTROL_BYTES_MAX) throw new SpdyError(`a control frame has ${length} bytes`);
    if (this.#rest.length < HEAD_BYTES + length) return undefined;
    const type = this.#rest.readUInt16BE(2);
    const payload = this.#rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
    this.#rest = this.#rest.subarray(HEAD_BYTES + length);
    return controlFrame(type, payload, (flags & FLAG_LAST) !== 0) ?? 'ignored';
  }

  #nextData(data: OpenData): SpdyFrame | undefined {
    if (this.#rest.length === 0) return undefined;
    const chunk = this.#rest.subarray(0, data.bytesLeft);
    this.#rest = this.#rest.subarray(chunk.length);
    data.bytesLeft -= chunk.length;
    if (data.bytesLeft === 0) this.#data = undefined;
    return { type: 'data', streamId: data.streamId, chunk, isLast: data.isLast && data.bytesLeft === 0 };
  }
}

/** Undefined: a type that SPDY/3.1 lets receivers ignore. */
function controlFrame(type: number, payload: Buffer, isLast: boolean): SpdyFrame | undefined {
  const number = (at: number): number => {
    if (payload.length < at + 4) throw new SpdyError(`a control frame of type ${type} is too short`);
    return payload.readUInt32BE(at);
  };
  const streamId = (): number => number(0) & STREAM_BITS;
  switch (type) {
    case CONTROL.synStream: {
      if (payload.length < SYN_STREAM_HEAD_BYTES) throw new SpdyError('a SYN_STREAM is too short');
      const headers = Buffer.from(payload.subarray(SYN_STREAM_HEAD_BYTES));
      return { type: 'synStream', streamId: streamId(), headers, isLast };
    }
    case CONTROL.synReply:
      return { type: 'synReply', streamId: streamId(), headers: Buffer.from(payload.subarray(4)), isLast };
    case CONTROL.headers:
      return { type: 'headers', streamId: streamId(), headers: Buffer.from(payload.subarray(4)), isLast };
    case CONTROL.rstStream:
      return { type: 'rstStream', streamId: streamId(), status: number(4) };
    case CONTROL.settings:
      return { type: 'settings' };
    case CONTROL.ping:
      return { type: 'ping', id: number(0) };
    case CONTROL.goAway:
      return { type: 'goAway', lastStreamId: streamId(), status: number(4) };
    case CONTROL.windowUpdate:
      return { type: 'windowUpdate', streamId: streamId(), bytes: number(4) & STREAM_BITS };
    default:
      return undefined;
  }
}
