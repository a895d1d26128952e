import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiUser } from '../base/request.ts';
import { StatusError } from '../base/status-error.ts';
import { protocolsIn, tokenIn } from './websocket-protocols.ts';
import type { TokenReader } from '../base/context.ts';

/** The user of the kubeconfig that the server writes. */
export const ADMIN: ApiUser = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The user of a request without a token. */
export const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * The user of a request.
 * @throws {StatusError} 401 for a wrong token
 */
export function authenticate(headers: IncomingHttpHeaders, readToken: TokenReader): ApiUser {
  const token = tokenOf(headers);
  if (token === undefined) return ANONYMOUS;
  // As for the API server, a token is no protocol that a websocket may choose.
  const { authorization, 'sec-websocket-protocol': offered } = headers;
  const isAlone = authorization === undefined && protocolsIn(offered).length === 0;
  const user = isAlone ? undefined : readToken(token);
  if (user !== undefined) return user;
  throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** The token that a client sends. Undefined: none. Empty: something else than a token. */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  return tokenIn(headers['sec-websocket-protocol']);
}

/** Compares secrets in a time that tells nothing about them. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
