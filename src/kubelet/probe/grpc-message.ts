/*
 * The two messages of the health checking protocol, in protobuf and in gRPC's frame. Two fields do not need a library.
 * Source: https://github.com/grpc/grpc/blob/master/doc/health-checking.md, doc/PROTOCOL-HTTP2.md.
 */

/** The names of grpc.health.v1.HealthCheckResponse.ServingStatus, by number. */
const SERVING_STATUS = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Encodes HealthCheckRequest{service}, framed. */
export function encodeHealthRequest(service: string): Buffer {
  const text = Buffer.from(service);
  // A field with its default value is not sent. 0x0a: field 1, a text.
  return frame(text.length === 0 ? text : Buffer.concat([Buffer.of(0x0a), varint(text.length), text]));
}

export type HealthResponse =
  | { readonly ok: true; readonly status: string }
  /** The error in grpc-go's words. */
  | { readonly ok: false; readonly error: string };

/** Decodes HealthCheckResponse{status} from a framed message. */
export function decodeHealthResponse(data: Buffer): HealthResponse {
  const isCompressed = data[0] !== 0;
  if (data.length < 5 || data.length < 5 + data.readUInt32BE(1)) return { ok: false, error: 'unexpected EOF' };
  if (isCompressed) {
    return { ok: false, error: 'grpc: compressed flag set with identity or empty encoding' };
  }
  const status = firstField(data.subarray(5, 5 + data.readUInt32BE(1)));
  if (status === undefined) {
    return {
      ok: false,
      error: 'grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data',
    };
  }
  return { ok: true, status: SERVING_STATUS[status] ?? String(status) };
}

function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Encodes seven bits in each byte, the low ones first. All but the last byte have the high bit set. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}

/** The number in field 1, 0 when it is left out. Undefined when the message is not protobuf. */
function firstField(message: Buffer): number | undefined {
  let value = 0;
  let at = 0;
  const readVarint = (): number | undefined => {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = message[at++];
      if (byte === undefined) return undefined;
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    return undefined;
  };
  while (at < message.length) {
    const key = readVarint();
    if (key === undefined) return undefined;
    const wireType = key & 7;
    const number = wireType === 0 || wireType === 2 ? readVarint() : 0;
    if (number === undefined || !SKIP_BYTES.has(wireType)) return undefined;
    if (key === 8) value = number;
    at += wireType === 2 ? number : (SKIP_BYTES.get(wireType) ?? 0);
    if (at > message.length) return undefined;
  }
  return value;
}

/** The length of a field by wire type, after its key and number: number, eight bytes, text, four bytes. */
const SKIP_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 8],
  [2, 0],
  [5, 4],
]);
