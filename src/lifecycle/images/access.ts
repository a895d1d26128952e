import { isSameJson } from '../../api/index.ts';
import type { CredentialOrigin } from '../base/image-types.ts';

/** A Secret whose credential has brought an image. */
export interface SecretMark {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** SHA-256 of the credential, in hexadecimal. */
  readonly credentialHash: string;
}

/** The Pods that may use what was pulled from a repository: all of them, or those with one of the Secrets. */
export type RepositoryAccess =
  | { readonly nodePodsAccessible: true }
  | { readonly kubernetesSecrets: readonly SecretMark[] };

/** The Pods that may use an image, by the repository from which it was pulled. Source: ImagePulledRecord. */
export type ImageAccess = Readonly<Record<string, RepositoryAccess>>;

/** The images that Pods may use without a look at their credentials. Source: kubelet.config v1beta1. */
export const VERIFICATION_POLICIES = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;
export type VerificationPolicy = (typeof VERIFICATION_POLICIES)[number];

export interface VerificationRules {
  readonly policy: VerificationPolicy;
  /** Repositories, or `PREFIX/*`. */
  readonly allowlist: readonly string[];
}

/** A present image, and a Pod that wants it. */
export interface AccessRequest {
  /** The repository of the name: `docker.io/library/nginx`. */
  readonly repository: string;
  /** Undefined: no pull of it is on record. */
  readonly access: ImageAccess | undefined;
  /** True when a pull of the name was begun, and its end is not on record. */
  readonly isInterrupted: boolean;
  /** The origins of the Pod's credentials for the repository. */
  readonly origins: readonly CredentialOrigin[];
}

/** Source: pkg/kubelet/images/pullmanager, maxSecrets of image_pull_manager.go. */
const SECRETS_MAX = 100;

/**
 * True when a Pod may use a present image; otherwise it has to be pulled with the Pod's credentials.
 * Source: pkg/kubelet/images/pullmanager/image_pull_manager.go MustAttemptImagePull.
 */
export function mayUse(request: AccessRequest, rules: VerificationRules): boolean {
  const { repository, access, isInterrupted, origins } = request;
  const wasPulled = access !== undefined || isInterrupted;
  if (!isVerified(repository, wasPulled, rules)) return true;
  const own = access?.[repository];
  if (own === undefined) return false;
  if ('nodePodsAccessible' in own) return true;
  return origins.some((origin) => own.kubernetesSecrets.some((mark) => isOf(mark, origin)));
}

/** Source: pkg/kubelet/images/pullmanager/image_pull_policies.go RequireCredentialVerificationForImage. */
function isVerified(repository: string, wasPulled: boolean, { policy, allowlist }: VerificationRules): boolean {
  if (policy === 'NeverVerify') return false;
  if (policy === 'AlwaysVerify' || wasPulled) return true;
  if (policy === 'NeverVerifyPreloadedImages') return false;
  return !allowlist.some((entry) =>
    entry.endsWith('/*') ? repository.startsWith(entry.slice(0, -1)) : repository === entry,
  );
}

/** The same credential, or the same Secret with another one. */
function isOf({ uid, namespace, name, credentialHash }: SecretMark, origin: CredentialOrigin): boolean {
  if (origin.type !== 'secret') return false;
  const isSameSecret = origin.uid === uid && origin.namespace === namespace && origin.name === name;
  return isSameSecret || origin.hash === credentialHash;
}

/**
 * The access after a pull, or after a Pod was found to have the right credential.
 * Source: pkg/kubelet/images/pullmanager/image_pull_manager.go pulledRecordMergeNewCreds, mergePullSecrets.
 * @param origin the origin of the credential; undefined: none was needed
 */
export function withAccess(
  access: ImageAccess | undefined,
  repository: string,
  origin: CredentialOrigin | undefined,
): ImageAccess {
  const own = access?.[repository];
  if (own !== undefined && 'nodePodsAccessible' in own) return access ?? {};
  if (origin?.type !== 'secret') return { ...access, [repository]: { nodePodsAccessible: true } };
  const { uid, namespace, name, hash } = origin;
  const mark: SecretMark = { uid, namespace, name, credentialHash: hash };
  const others = (own?.kubernetesSecrets ?? []).filter(
    (known) => !isSameJson([known.uid, known.namespace, known.name], [uid, namespace, name]),
  );
  return { ...access, [repository]: { kubernetesSecrets: [...others, mark].slice(-SECRETS_MAX) } };
}

/** The Pods that may use a present image without another pull, in words, by the default policy. */
export function permittedUsers(access: ImageAccess | undefined, isInterrupted: boolean): string[] {
  if (access === undefined) return isInterrupted ? [] : [EVERY_POD];
  const users = Object.values(access).flatMap((each) =>
    'nodePodsAccessible' in each
      ? [EVERY_POD]
      : each.kubernetesSecrets.map(({ namespace, name }) => `Pods with the Secret ${namespace}/${name}`),
  );
  return users.includes(EVERY_POD) ? [EVERY_POD] : [...new Set(users)];
}

const EVERY_POD = 'every Pod';
