import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiUser } from '../base/request.ts';
import { StatusError } from '../base/status-error.ts';
import { protocolsIn, tokenIn } from './websocket-protocols.ts';
import type { ServerConfig, ServerContext, TokenVerdict } from '../base/context.ts';

/** The user of the kubeconfig that the server writes. */
export const ADMIN: ApiUser = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The verdict about a token that is for this server alone: of the administrator, or of a user in a file of tokens. */
export function ownVerdict(user: ApiUser, own: string, audiences: readonly string[] = [own]): TokenVerdict {
  return audiences.includes(own) ? { user, audiences: [own] } : { user: undefined, problem: undefined };
}

/** The user of a request without a token. */
export const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * The user of a request.
 * @throws {StatusError} 401 for a wrong token
 */
export function authenticate(
  headers: IncomingHttpHeaders,
  {
    userOf: readToken,
    config,
  }: Pick<ServerContext, 'userOf'> & { readonly config: Pick<ServerConfig, 'refusesAnonymous'> },
): ApiUser {
  const token = tokenOf(headers);
  if (token === undefined && config.refusesAnonymous !== true) return ANONYMOUS;
  // As for the API server, a token is no protocol that a websocket may choose.
  const { authorization, 'sec-websocket-protocol': offered } = headers;
  const isAlone = authorization === undefined && protocolsIn(offered).length === 0;
  const user = isAlone || token === undefined ? undefined : readToken(token).user;
  if (user !== undefined) return user;
  throw unauthorized();
}

/** The error about credentials that the server does not know. */
export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
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
