import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { quietly } from '../../quietly.ts';
import {
  ANONYMOUS,
  type ApiUser,
  authenticate,
  fromBytes,
  isPermitted,
  type ServerContext,
  StatusError,
  unauthorized,
} from '../../apiserver/index.ts';

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * The user whom a request is made for: the user of its token, or another user whom this one may impersonate (`kubectl
 * --as`). Source: apiserver/pkg/endpoints/filters/impersonation/impersonation.go.
 * @throws {StatusError} 401 for a wrong token, 403 when the user may not impersonate
 */
export function actingUser({ headers, headersDistinct, socket }: IncomingMessage, context: ServerContext): ApiUser {
  const certified = context.config.clientCa === undefined ? undefined : certifiedUser(socket as TLSSocket);
  const user = certified ?? authenticate(headers, context);
  const valuesOf = (header: string): string[] => (headersDistinct[header] ?? []).map(fromBytes);
  const [name = ''] = valuesOf('impersonate-user');
  const groups = valuesOf('impersonate-group');
  const [uid] = valuesOf('impersonate-uid');
  const extra = extraIn(headersDistinct);
  if (name === '') {
    if (groups.length === 0 && uid === undefined && extra === undefined) return user;
    const message = 'requested groups, extra values or a uid without impersonating a user';
    throw new StatusError({ code: 400, reason: 'BadRequest', message });
  }
  const [, namespace, account] = ACCOUNT.exec(name) ?? [];
  if (account === undefined) mayStandFor(user, { resource: 'users', name }, context);
  else mayStandFor(user, { resource: 'serviceaccounts', name: account, namespace }, context);
  for (const group of groups) mayStandFor(user, { resource: 'groups', name: group }, context);
  for (const [key, values] of Object.entries(extra ?? {}))
    for (const value of values) mayStandFor(user, { group: GROUP, resource: 'userextras', key, name: value }, context);
  if (uid !== undefined) mayStandFor(user, { group: GROUP, resource: 'uids', name: uid }, context);
  const own =
    namespace === undefined || groups.length > 0
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const all = [...own, name === ANONYMOUS.name ? ANONYMOUS.groups : 'system:authenticated'].flat();
  return { name, ...(uid !== undefined && { uid }), groups: [...new Set(all)], extra };
}

/**
 * The user of the certificate of a client: its common name, in the groups of its organizations. Undefined: the client
 * has none. Source: apiserver/pkg/authentication/request/x509/x509.go, CommonNameUserConversion.
 * @throws {StatusError} 401 for a certificate of another CA, or one that does not hold now
 */
function certifiedUser(socket: TLSSocket): ApiUser | undefined {
  const { subject } = socket.getPeerCertificate();
  // A client without a certificate has none of the fields that the type promises.
  if ((subject as typeof subject | undefined) === undefined) return undefined;
  if (!socket.authorized) throw unauthorized();
  const { CN: name = '', O: organizations = [] } = subject as { readonly CN?: string; readonly O?: string | string[] };
  if (name === '') throw unauthorized();
  const groups = [organizations].flat().filter((group) => group !== '');
  return { name, groups: [...new Set([...groups, 'system:authenticated'])] };
}

const GROUP = 'authentication.k8s.io';
const EXTRA = 'impersonate-extra-';

/** The further facts about a user, by key: escaped in the name of the header, in lower case. Undefined: none. */
function extraIn(headers: IncomingMessage['headersDistinct']): ApiUser['extra'] {
  const given = Object.entries(headers).filter(([name]) => name.startsWith(EXTRA));
  if (given.length === 0) return undefined;
  const keyOf = (name: string): string => {
    const key = name.slice(EXTRA.length);
    return quietly(() => decodeURIComponent(key)) ?? key;
  };
  return Object.fromEntries(given.map(([name, values = []]) => [keyOf(name), values.map(fromBytes)]));
}

interface Impersonated {
  readonly group?: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** The key of an extra value: the subresource, as RBAC sees it. */
  readonly key?: string;
}

function mayStandFor(user: ApiUser, wanted: Impersonated, context: ServerContext): void {
  const { group = '', resource, name, namespace, key } = wanted;
  if (isPermitted(user, { verb: 'impersonate', group, resource, subresource: key, name, namespace }, context)) return;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = key === undefined ? resource : `${resource}/${key}`;
  const wish = `User "${user.name}" cannot impersonate resource "${what}" in API group "${group}" ${where}`;
  const message = `${resource} "${name}" is forbidden: ${wish}`;
  throw new StatusError({ code: 403, reason: 'Forbidden', message, details: { name, group, kind: resource } });
}
