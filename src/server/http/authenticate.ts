import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiUser } from '../request.ts';
import { StatusError } from '../status-error.ts';

/** Answers the user of a token. Undefined: the token is wrong. */
export type TokenReader = (token: string) => ApiUser | undefined;

/** The user of the kubeconfig that the server writes. */
export const ADMIN: ApiUser = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The user of a request without a token. */
export const ANONYMOUS: ApiUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Browsers send the token of a websocket this way. Source: apiserver/pkg/authentication/request/websocket. */
export const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/**
 * The user of a request.
 * @throws {StatusError} 401 for a wrong token
 */
export function authenticate(headers: IncomingHttpHeaders, readToken: TokenReader): ApiUser {
  const token = tokenOf(headers);
  if (token === undefined) return ANONYMOUS;
  const user = readToken(token);
  if (user !== undefined) return user;
  throw new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** The token that a client sends. Undefined: none. Empty: something else than a token. */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  const words = (headers['sec-websocket-protocol'] ?? '').split(/ *, */);
  const word = words.find((each) => each.startsWith(TOKEN_PROTOCOL));
  return word && Buffer.from(word.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}

/** Compares secrets in a time that tells nothing about them. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
}
