import type { IncomingHttpHeaders } from 'node:http2';
import { goQuote } from '../../api/index.ts';

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
