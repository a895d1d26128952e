import { type CertificatesCertificateSigningRequest, isJsonObject, type KubeObject } from '../../api/index.ts';
import { type ApiRequest, userInfoOf } from '../base/request.ts';

/**
 * CertificateSigningRequests: the server writes who asks, and when it was decided.
 * Source: pkg/registry/certificates/certificates/strategy.go.
 */

type SigningRequest = KubeObject & Partial<CertificatesCertificateSigningRequest>;
type Condition = NonNullable<NonNullable<CertificatesCertificateSigningRequest['status']>['conditions']>[number];

const isSigningRequest = ({ resource }: ApiRequest): boolean => resource.storage === 'certificatesigningrequests';

/** A new object with its user, if it is a request for a certificate. No client asks for another user. */
export function withRequester(object: KubeObject, request: ApiRequest): KubeObject {
  const { spec } = object as SigningRequest;
  if (!isSigningRequest(request) || !isJsonObject(spec)) return object;
  const { username: _, uid: _uid, groups: _groups, extra: _extra, ...own } = { ...spec };
  return { ...object, spec: { ...own, ...userInfoOf(request.user) } };
}

/**
 * A changed object as its kind permits the change: what a request for a certificate asks for stays, and its new
 * conditions get their times.
 * @param now RFC 3339
 */
export function asPermitted(changed: KubeObject, stored: KubeObject, request: ApiRequest, now: string): KubeObject {
  if (!isSigningRequest(request)) return changed;
  const held = { ...changed, spec: (stored as SigningRequest).spec };
  const { status } = changed as SigningRequest;
  if (request.subresource === undefined || !Array.isArray(status?.conditions)) return held;
  const before = (stored as SigningRequest).status?.conditions ?? [];
  return { ...held, status: { ...status, conditions: status.conditions.map((each) => withTimes(each, before, now)) } };
}

function withTimes(condition: Condition, before: readonly Condition[], now: string): Condition {
  const old = before.find(({ type, status }) => type === condition.type && status === condition.status);
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? old?.lastTransitionTime ?? now,
  };
}
