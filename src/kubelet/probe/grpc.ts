import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import { formatGoDuration, goQuote, type GRPCAction, joinHostPort } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { defaultHost, type ProbeOutcome, userAgent } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { type Deadline, pause, type ProbeInput, withDeadline } from './input.ts';
import {
  decodeHealthResponse,
  encodeHealthRequest,
  GRPC,
  grpcCodeName,
  grpcErrorText,
  type GrpcStatus,
  type HealthResponse,
  statusIn,
  statusOfForeignAnswer,
} from './grpc-message.ts';

const ANSWER_MAX_BYTES = 64 * 1024;
const NO_HEALTH_SERVICE = 'this server does not implement the grpc health protocol (grpc.health.v1.Health)';
/** Source: grpc-go backoff.DefaultConfig, without its jitter. */
const BACK_OFF = { firstMs: 1000, factor: 1.6 };

/**
 * Asks a health service: SERVING is a success. A refused connection is tried again until the time is up, as in grpc-go.
 * Source: pkg/probe/grpc/grpc.go.
 */
export async function probeGrpc(
  action: GRPCAction,
  timeoutMs: number,
  input: ProbeInput,
  dial?: Dial,
): Promise<ProbeOutcome> {
  const { pod, clock, abort } = input;
  const target = { host: defaultHost(pod), port: action.port };
  const address = joinHostPort(target.host, target.port);
  const within = formatGoDuration(timeoutMs);
  return withDeadline({ clock, timeoutMs, signal: abort.signal }, async (deadline): Promise<ProbeOutcome> => {
    const dialed = (): Promise<Socket> | undefined => dial?.(target, deadline.signal);
    const session = await connect(address, clock, deadline, dialed);
    if (session === undefined) {
      const error = `within ${within}: context deadline exceeded`;
      const output = `timeout: failed to connect service ${goQuote(address)} ${error}`;
      return { result: 'failure', output, timedOut: true };
    }
    try {
      const answer = await check(session, { service: action.service ?? '', address, timeoutMs }, deadline);
      return 'code' in answer ? failureOf(answer, within) : judge(answer.status);
    } finally {
      session.destroy();
    }
  });
}

function judge(status: string): ProbeOutcome {
  const answer = { grpcStatus: status };
  if (status === 'SERVING') return { result: 'success', output: 'service healthy', answer };
  return { result: 'failure', output: `service unhealthy (responded with ${goQuote(status)})`, answer };
}

function failureOf(status: GrpcStatus, within: string): ProbeOutcome {
  const timedOut = status.code === GRPC.deadlineExceeded;
  const answer = { grpcStatus: grpcCodeName(status.code) };
  return { result: 'failure', output: failureText(status, within), timedOut, answer };
}

function failureText(status: GrpcStatus, within: string): string {
  switch (status.code) {
    case GRPC.unimplemented:
      return `error: ${NO_HEALTH_SERVICE}: ${status.message}`;
    case GRPC.deadlineExceeded:
      return `timeout: health rpc did not complete within ${within}`;
    default:
      return `error: health rpc probe failed: ${grpcErrorText(status)}`;
  }
}

/** Connects. Undefined: the time is up, or the outcome does not matter any more. */
async function connect(
  address: string,
  clock: Clock,
  deadline: Deadline,
  dialed: () => Promise<Socket> | undefined,
): Promise<ClientHttp2Session | undefined> {
  for (let pauseMs = BACK_OFF.firstMs; !deadline.signal.aborted; pauseMs *= BACK_OFF.factor) {
    try {
      const session = await open(address, deadline, await dialed());
      if (session !== undefined) return session;
    } catch {
      // The dial was refused: like a missing session.
    }
    await pause(clock, pauseMs, deadline.signal);
  }
  return undefined;
}

/** Resolves when the server has shown that it speaks HTTP/2. Undefined: it does not, or the connection failed. */
function open(
  address: string,
  deadline: Deadline,
  connected: Socket | undefined,
): Promise<ClientHttp2Session | undefined> {
  return new Promise((resolve) => {
    const { connect: connectHttp2 } = process.getBuiltinModule('node:http2');
    const options = connected && { createConnection: () => connected };
    const session = guarded(connectHttp2(`http://${address}`, options));
    const end = (opened: ClientHttp2Session | undefined): void => {
      deadline.signal.removeEventListener('abort', onFailure);
      if (opened === undefined) session.destroy();
      resolve(opened);
    };
    const onFailure = (): void => end(undefined);
    session.once('remoteSettings', () => end(session));
    session.once('close', onFailure);
    // Stays for the life of the session: the call reports later errors.
    session.on('error', onFailure);
    deadline.signal.addEventListener('abort', onFailure);
  });
}

const CONNECTION_LOST: GrpcStatus = { code: GRPC.unavailable, message: 'error reading from server: EOF' };

interface HealthCall {
  readonly service: string;
  readonly address: string;
  readonly timeoutMs: number;
}

/** Calls grpc.health.v1.Health/Check once. */
async function check(
  session: ClientHttp2Session,
  { service, address, timeoutMs }: HealthCall,
  deadline: Deadline,
): Promise<GrpcStatus | Extract<HealthResponse, { ok: true }>> {
  // The server may have closed the session meanwhile.
  if (session.closed || session.destroyed) return CONNECTION_LOST;
  const stream = guarded(
    session.request({
      ':method': 'POST',
      ':scheme': 'http',
      ':authority': address,
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': userAgent('probe'),
      te: 'trailers',
      'grpc-timeout': `${timeoutMs}m`,
    }),
  );
  stream.end(encodeHealthRequest(service));
  const answer = await collect(stream, deadline);
  if (deadline.hasPassed) return { code: GRPC.deadlineExceeded, message: 'context deadline exceeded' };
  if (deadline.signal.aborted) return { code: GRPC.canceled, message: 'context canceled' };
  const status = statusOf(answer);
  if (status.code !== GRPC.ok) return status;
  const decoded = decodeHealthResponse(answer.body);
  return decoded.ok ? decoded : { code: GRPC.internal, message: decoded.error };
}

interface Answer {
  readonly headers: IncomingHttpHeaders | undefined;
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly body: Buffer;
  /** The code of RST_STREAM. */
  readonly resetCode: number | undefined;
}

/** Collects the response. Resolves when the stream is closed. */
function collect(stream: ClientHttp2Stream, deadline: Deadline): Promise<Answer> {
  return new Promise((resolve) => {
    let headers: IncomingHttpHeaders | undefined;
    let trailers: IncomingHttpHeaders | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onAbort = (): void => void stream.destroy();
    stream.once('response', (received) => {
      headers = received;
    });
    stream.once('trailers', (received) => {
      trailers = received;
    });
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_MAX_BYTES) stream.destroy();
    });
    // `close` follows.
    stream.on('error', () => undefined);
    stream.once('close', () => {
      deadline.signal.removeEventListener('abort', onAbort);
      resolve({ headers, trailers, body: Buffer.concat(chunks), resetCode: stream.rstCode });
    });
    deadline.signal.addEventListener('abort', onAbort);
  });
}

function statusOf({ headers, trailers, resetCode }: Answer): GrpcStatus {
  const given = (trailers && statusIn(trailers)) ?? (headers && statusIn(headers));
  if (given !== undefined) return given;
  if (headers === undefined) return CONNECTION_LOST;
  const httpStatus = Number(headers[':status'] ?? 0);
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const foreign = statusOfForeignAnswer(headers, STATUS_CODES[httpStatus] ?? '');
  if (foreign !== undefined) return foreign;
  const message =
    resetCode === 0 || resetCode === undefined
      ? 'server closed the stream without sending trailers'
      : `stream terminated by RST_STREAM with error code: ${resetCode}`;
  return { code: GRPC.internal, message };
}
