import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiUser } from '../base/request.ts';
import { StatusError } from '../base/status-error.ts';
import { protocolsIn, tokenIn } from './websocket-protocols.ts';
import { API_AUDIENCE } from '../base/service-tokens.ts';
import type { TokenReader, TokenVerdict } from '../base/context.ts';

/** The user of the kubeconfig that the server writes. */
const ADMIN: ApiUser = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The verdict about the token of the administrator, which is for this server. */
export function adminVerdict(audiences: readonly string[] = [API_AUDIENCE]): TokenVerdict {
  const isForThis = audiences.includes(API_AUDIENCE);
  return isForThis ? { user: ADMIN, audiences: [API_AUDIENCE] } : { user: undefined, problem: undefined };
}

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
  const user = isAlone ? undefined : readToken(token).user;
  if (user !== undefined) return user;
  throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/**
 * The token that a client sends. Undefined: none, or something else than a token.
 * Source: apiserver/pkg/authentication/request/bearertoken/bearertoken.go.
 */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^ *Bearer +(\S+)/i.exec(authorization)?.[1];
  return tokenIn(headers['sec-websocket-protocol']);
}

/** Compares secrets in a time that tells nothing about them. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
