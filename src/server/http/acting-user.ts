import type { IncomingMessage } from 'node:http';
import {
  ANONYMOUS,
  type ApiUser,
  authenticate,
  isPermitted,
  type ServerContext,
  StatusError,
} from '../../apiserver/index.ts';

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * The user whom a request is made for: the user of its token, or another user whom this one may impersonate (`kubectl
 * --as`). Source: apiserver/pkg/endpoints/filters/impersonation/impersonation.go.
 * @throws {StatusError} 401 for a wrong token, 403 when the user may not impersonate
 */
export function actingUser({ headers, headersDistinct }: IncomingMessage, context: ServerContext): ApiUser {
  const user = authenticate(headers, context.userOf);
  const name = headersDistinct['impersonate-user']?.[0] ?? '';
  const groups = headersDistinct['impersonate-group'] ?? [];
  const uid = headersDistinct['impersonate-uid']?.[0];
  if (name === '') {
    if (groups.length === 0 && uid === undefined) return user;
    const message = 'requested groups or a uid without impersonating a user';
    throw new StatusError({ code: 400, reason: 'BadRequest', message });
  }
  const [, namespace, account] = ACCOUNT.exec(name) ?? [];
  if (account === undefined) mayStandFor(user, { resource: 'users', name }, context);
  else mayStandFor(user, { resource: 'serviceaccounts', name: account, namespace }, context);
  for (const group of groups) mayStandFor(user, { resource: 'groups', name: group }, context);
  if (uid !== undefined) mayStandFor(user, { group: 'authentication.k8s.io', resource: 'uids', name: uid }, context);
  const own =
    namespace === undefined || groups.length > 0
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const all = [...own, name === ANONYMOUS.name ? ANONYMOUS.groups : 'system:authenticated'].flat();
  return { name, ...(uid !== undefined && { uid }), groups: [...new Set(all)] };
}

interface Impersonated {
  readonly group?: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

function mayStandFor(user: ApiUser, wanted: Impersonated, context: ServerContext): void {
  const { group = '', resource, name, namespace } = wanted;
  if (isPermitted(user, { verb: 'impersonate', group, resource, name, namespace }, context)) return;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const wish = `User "${user.name}" cannot impersonate resource "${resource}" in API group "${group}" ${where}`;
  const message = `${resource} "${name}" is forbidden: ${wish}`;
  throw new StatusError({ code: 403, reason: 'Forbidden', message, details: { name, group, kind: resource } });
}
