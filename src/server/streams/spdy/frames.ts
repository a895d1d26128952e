/** Bytes that are no SPDY/3.1, or a client that breaks its rules. The connection ends. */
export class SpdyError extends Error {}

/**
 * The frames that clients of Kubernetes and podrun send each other. Source: SPDY/3.1 draft, 2.6. `headers` is still
 * compressed: see header-blocks.ts.
 */
export type SpdyFrame =
  | { readonly type: 'synStream'; readonly streamId: number; readonly headers: Buffer; readonly isLast: boolean }
  | { readonly type: 'synReply'; readonly streamId: number; readonly headers: Buffer; readonly isLast: boolean }
  | { readonly type: 'rstStream'; readonly streamId: number; readonly status: number }
  | { readonly type: 'settings' }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway'; readonly lastStreamId: number; readonly status: number }
  | { readonly type: 'headers'; readonly streamId: number; readonly headers: Buffer; readonly isLast: boolean }
  | { readonly type: 'windowUpdate'; readonly streamId: number; readonly bytes: number }
  /** A piece of a stream. `isLast`: the sender has no more. */
  | { readonly type: 'data'; readonly streamId: number; readonly chunk: Buffer; readonly isLast: boolean };

/** The reasons of RST_STREAM. */
export const RESET = { protocolError: 1, invalidStream: 2, refused: 3, cancel: 5 } as const;

export const HEAD_BYTES = 8;
export const VERSION = 3;
export const FLAG_LAST = 1;
export const CONTROL_BIT = 0x80;

/** The types of control frames. */
export const CONTROL = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export function encodeSpdyFrame(frame: SpdyFrame): Buffer {
  switch (frame.type) {
    case 'data':
      return dataFrame(frame.streamId, frame.chunk, frame.isLast);
    case 'synStream':
      // The other stream that it belongs to, its priority and its slot: none.
      return control(frame, Buffer.concat([uint32s(frame.streamId, 0), Buffer.alloc(2), frame.headers]), frame.isLast);
    case 'synReply':
    case 'headers':
      return control(frame, Buffer.concat([uint32s(frame.streamId), frame.headers]), frame.isLast);
    case 'rstStream':
      return control(frame, uint32s(frame.streamId, frame.status));
    case 'settings':
      return control(frame, uint32s(0));
    case 'ping':
      return control(frame, uint32s(frame.id));
    case 'goAway':
      return control(frame, uint32s(frame.lastStreamId, frame.status));
    case 'windowUpdate':
      return control(frame, uint32s(frame.streamId, frame.bytes));
    default:
      return frame satisfies never;
  }
}

function dataFrame(streamId: number, chunk: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(streamId);
  head.writeUInt32BE(chunk.length, 4);
  head.writeUInt8(isLast ? FLAG_LAST : 0, 4);
  return Buffer.concat([head, chunk]);
}

function control({ type }: { readonly type: keyof typeof CONTROL }, payload: Buffer, isLast = false): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE((CONTROL_BIT << 8) | VERSION);
  head.writeUInt16BE(CONTROL[type], 2);
  head.writeUInt32BE(payload.length, 4);
  head.writeUInt8(isLast ? FLAG_LAST : 0, 4);
  return Buffer.concat([head, payload]);
}

function uint32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
