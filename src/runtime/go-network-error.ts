import { errorMessage, goQuote, joinHostPort } from '../api/index.ts';
import { errnoText } from './base/errno.ts';

/** Go's texts for the error numbers of the network. All other texts are in src/runtime/base/errno.ts. */
const NETWORK_TEXTS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'cannot assign requested address',
  ECONNABORTED: 'software caused connection abort',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTDOWN: 'host is down',
  EHOSTUNREACH: 'no route to host',
  ENETDOWN: 'network is down',
  ENETUNREACH: 'network is unreachable',
  EPIPE: 'broken pipe',
  ETIMEDOUT: 'connection timed out',
};

const LOOKUP_TEXTS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'server misbehaving',
  ENOTFOUND: 'no such host',
};

/** Go's texts for TLS alerts. Source: Go's crypto/tls/alert.go. */
const TLS_ALERTS: Readonly<Record<string, string>> = {
  10: 'unexpected message',
  40: 'handshake failure',
  42: 'bad certificate',
  47: 'illegal parameter',
  49: 'access denied',
  50: 'error decoding message',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  112: 'unrecognized name',
  116: 'certificate required',
  120: 'no application protocol',
};

/** The connection on which an error happened. */
export interface NetworkConnection {
  /** Both ends, as Go writes them: `127.0.0.1:40000->127.0.0.1:8080`. */
  readonly ends: string;
  /** True when the other side has sent a byte. */
  readonly hasReceived: boolean;
}

/**
 * The text of a network error, as a Go program on Linux prints it: `dial tcp 127.0.0.1:80: connect: connection
 * refused`. Users know these texts from kubelet's events, and search for them.
 */
export function goNetworkError(error: unknown, connection: NetworkConnection): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', syscall, hostname, address = '', port = 0 } = first as SystemError;
  const words = NETWORK_TEXTS[code] ?? errnoText(code);
  if (syscall === 'getaddrinfo') return `dial tcp: lookup ${hostname}: ${LOOKUP_TEXTS[code] ?? words}`;
  if (syscall === 'connect') return `dial tcp ${joinHostPort(address, port)}: connect: ${words}`;
  if (code.startsWith('HPE_')) return `net/http: HTTP/1.x transport connection broken: ${malformedAnswer(first)}`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return tlsError(first);
  if (syscall === 'read' || syscall === 'write') return `${syscall} tcp ${connection.ends}: ${syscall}: ${words}`;
  // Node reports a connection that the other side has closed as ECONNRESET.
  if (code !== 'ECONNRESET') return errorMessage(first);
  return connection.hasReceived ? 'net/http: HTTP/1.x transport connection broken: unexpected EOF' : 'EOF';
}

type SystemError = Partial<Record<'code' | 'syscall' | 'hostname' | 'address', string>> & { readonly port?: number };

/** Source: Go's net/http ReadResponse. */
function malformedAnswer(error: unknown): string {
  const { message, rawPacket } = error as { message: string; rawPacket?: Buffer };
  const [line = ''] = (rawPacket?.toString('latin1') ?? '').split(/\r?\n/, 1);
  const [, protocol = '', code] = /^([^ ]*)(?: +([^ ]*))?/.exec(line) ?? [];
  if (code === undefined) return `malformed HTTP response ${goQuote(line)}`;
  if (!/^\d{3}$/.test(code)) return `malformed HTTP status code ${goQuote(code)}`;
  if (!/^HTTP\/\d\.\d$/.test(protocol)) return `malformed HTTP version ${goQuote(protocol)}`;
  return message.replace('Parse Error: ', '');
}

function tlsError(error: unknown): string {
  const { message } = error as Error;
  const alert = /SSL alert number (\d+)/.exec(message)?.[1];
  if (alert !== undefined) return `remote error: tls: ${TLS_ALERTS[alert] ?? `alert(${alert})`}`;
  return /wrong version number|packet length too long|http request/.test(message)
    ? HTTP_FOR_HTTPS
    : `tls: ${OPENSSL_REASON.exec(message)?.[1] ?? message.trim()}`;
}

/** The reason in `…:SSL routines:FUNCTION:REASON:FILE:LINE`. Functions and files differ by the version of OpenSSL. */
const OPENSSL_REASON = /:SSL routines:[^:]*:([^:]+)/;

/** The error of a server that does not speak TLS. Hooks then try plain HTTP. Source: Go's net/http. */
export const HTTP_FOR_HTTPS = 'http: server gave HTTP response to HTTPS client';
