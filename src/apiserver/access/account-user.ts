import type { TokenSubject } from '../base/service-tokens.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiUser } from '../base/request.ts';

/**
 * The user of a token: its ServiceAccount. Undefined: the token is wrong or has expired, or its account or its Pod is
 * gone. Source: apiserver/pkg/authentication/serviceaccount/util.go; pkg/serviceaccount/claims.go Validate.
 */
export function accountOfToken(
  token: string,
  { tokens, clock, objects }: Pick<ServerContext, 'tokens' | 'clock' | 'objects'>,
): ApiUser | undefined {
  const subject = tokens.read(token, clock.now().wallMs);
  if (subject === undefined) return undefined;
  const { namespace, name, uid, pod } = subject;
  if (objects.get('serviceaccounts', namespace, name)?.metadata.uid !== uid) return undefined;
  if (pod !== undefined && objects.get('pods', namespace, pod.name)?.metadata.uid !== pod.uid) return undefined;
  return accountUser(subject);
}

/** The user that a ServiceAccount is. */
export function accountUser({
  namespace,
  name,
  uid,
}: Pick<TokenSubject, 'namespace' | 'name'> & { uid?: string }): ApiUser {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, uid, groups };
}
