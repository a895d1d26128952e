import type { StoredKubeObject } from '../../api/index.ts';
import { accountUserName, type ReadToken, type TokenSubject } from '../base/service-tokens.ts';
import type { ServerContext, TokenVerdict } from '../base/context.ts';
import type { ApiUser } from '../base/request.ts';

type Place = Pick<ServerContext, 'tokens' | 'clock' | 'objects'>;

/**
 * Says of which ServiceAccount a token is, unless it has another audience, has expired, or its account or what it is
 * bound to is gone. Source: pkg/serviceaccount/jwt.go AuthenticateToken, claims.go and legacy.go Validate.
 * @param audiences of which the token is for one
 */
export function accountOfToken(
  token: string,
  { tokens, clock, objects }: Place,
  audiences: readonly string[] = [tokens.issuer],
): TokenVerdict {
  const read = tokens.read(token);
  if (read === undefined) return { user: undefined, problem: undefined };
  const common = read.audiences.filter((audience) => audiences.includes(audience));
  const problem =
    common.length === 0
      ? `token audiences ${goTexts(read.audiences)} is invalid for the target audiences ${goTexts(audiences)}`
      : (expiryProblem(read, clock.now().wallMs) ?? accountProblem(read.subject, token, objects));
  if (problem !== undefined) return { user: undefined, problem };
  const extra = extraOf(read);
  const user = accountUser(read.subject);
  return { user: Object.keys(extra).length === 0 ? user : { ...user, extra }, audiences: common };
}

/** A list of texts as Go's `%q` shows it. */
function goTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

function expiryProblem({ expiresAtMs }: ReadToken, nowMs: number): string | undefined {
  return expiresAtMs !== undefined && expiresAtMs < nowMs ? 'service account token has expired' : undefined;
}

/** Finds out whether the ServiceAccount of a token and the object that it is bound to are still there. */
function accountProblem(subject: TokenSubject, token: string, objects: Place['objects']): string | undefined {
  const { namespace, name, uid, pod, node, secret } = subject;
  const account = objects.get('serviceaccounts', namespace, name);
  if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
  const own = account.metadata.uid;
  if (own !== uid) return `service account UID (${own}) does not match claim (${uid})`;
  const isThere = (stored: StoredKubeObject | undefined, claimed: string | undefined): boolean =>
    stored !== undefined && stored.metadata.uid === claimed;
  const isValid =
    (secret === undefined || isSecretOf(objects.get('secrets', namespace, secret.name), secret.uid, token)) &&
    (pod === undefined || isThere(objects.get('pods', namespace, pod.name), pod.uid)) &&
    // The node of a Pod may be renewed while the Pod runs.
    (node === undefined || pod !== undefined || isThere(objects.get('nodes', undefined, node.name), node.uid));
  return isValid ? undefined : 'service account token has been invalidated';
}

/** A token without the uid of its Secret has to be in the Secret. */
function isSecretOf(secret: StoredKubeObject | undefined, uid: string | undefined, token: string): boolean {
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return false;
  if (uid !== undefined) return secret.metadata.uid === uid;
  const data = secret['data'] as Readonly<Record<string, string>> | undefined;
  return Buffer.from(data?.['token'] ?? '', 'base64').toString() === token;
}

/** Source: apiserver/pkg/authentication/serviceaccount/util.go, ServiceAccountInfo.UserInfo. */
function extraOf({ id, subject: { pod, node } }: ReadToken): Record<string, readonly string[]> {
  const facts = {
    'credential-id': id && `JTI=${id}`,
    'node-name': node?.name,
    'node-uid': node?.uid,
    'pod-name': pod?.name,
    'pod-uid': pod?.uid,
  };
  const known = Object.entries(facts).filter(([, value]) => value);
  return Object.fromEntries(known.map(([key, value]) => [`authentication.kubernetes.io/${key}`, [value ?? '']]));
}

/** The user that a ServiceAccount is. */
export function accountUser(account: Pick<TokenSubject, 'namespace' | 'name'> & { uid?: string }): ApiUser {
  const { namespace, uid } = account;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: accountUserName(account), uid, groups };
}
