import type { IncomingHttpHeaders } from 'node:http2';
import { goQuote } from '../../api/index.ts';

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

/** The status of a gRPC call. Source: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
}

const NAMES = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

export const GRPC = {
  ok: 0,
  canceled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
};

/** The gRPC codes for responses of plain HTTP servers. Source: grpc-go internal/transport/http_util.go. */
const CODE_OF_HTTP_STATUS: Readonly<Record<number, number>> = {
  400: 13,
  401: 16,
  403: 7,
  404: 12,
  429: 14,
  502: 14,
  503: 14,
  504: 14,
};

/** The error as grpc-go prints it: `rpc error: code = NotFound desc = unknown service`. */
export function grpcErrorText({ code, message }: GrpcStatus): string {
  return `rpc error: code = ${grpcCodeName(code)} desc = ${message}`;
}

/** The name of a status code: `NotFound`. Source: grpc-go codes/code_string.go. */
export function grpcCodeName(code: number): string {
  return NAMES[code] ?? `Code(${code})`;
}

/** The status in the headers or trailers of a call. Undefined when there is none. */
export function statusIn(headers: IncomingHttpHeaders): GrpcStatus | undefined {
  const code = headers['grpc-status'];
  if (code === undefined) return undefined;
  const message = headers['grpc-message'] ?? '';
  return { code: /^\d+$/.test(String(code)) ? Number(code) : GRPC.unknown, message: percentDecoded(String(message)) };
}

/** The status for a response without one. Undefined when the response looks like gRPC. */
export function statusOfForeignAnswer(headers: IncomingHttpHeaders, httpStatusText: string): GrpcStatus | undefined {
  const httpStatus = Number(headers[':status'] ?? 0);
  const contentType = headers['content-type'];
  const isGrpc = contentType !== undefined && /^application\/grpc(?:[+;]|$)/i.test(contentType);
  if (httpStatus === 200 && isGrpc) return undefined;
  const complaints = [
    `unexpected HTTP status code received from server: ${httpStatus} (${httpStatusText})`,
    ...(contentType === undefined ? ['malformed header: missing HTTP content-type'] : []),
    ...(contentType !== undefined && !isGrpc
      ? [`transport: received unexpected content-type ${goQuote(contentType)}`]
      : []),
  ];
  return { code: CODE_OF_HTTP_STATUS[httpStatus] ?? GRPC.unknown, message: complaints.join('; ') };
}

/** Decodes bytes outside printable ASCII, sent as %XX. */
function percentDecoded(text: string): string {
  const bytes = text.replaceAll(/%([\da-fA-F]{2})/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
