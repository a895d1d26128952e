import type { KubeObject } from '../../api/objects.ts';
import type { ApiHandler } from '../answer.ts';
import type { ServerContext } from '../context.ts';
import type { ApiUser } from '../request.ts';
import { readObject } from '../writes/read-object.ts';
import { type Attributes, isPermitted, rulesOf } from './permissions.ts';
import { API_AUDIENCE } from '../../agent/access/service-tokens.ts';

/** The fields of a review of access. Source: staging/src/k8s.io/api/authorization/v1/types.go. */
interface AccessSpec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: Attributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

/** Answers whether a user, or the user of the request, may do something. */
export const accessReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const spec = (review['spec'] ?? {}) as AccessSpec;
  const isAboutSelf = request.resource.plural === 'selfsubjectaccessreviews';
  const user = isAboutSelf ? request.user : { name: spec.user ?? '', groups: spec.groups ?? [] };
  const { allowed, reason } = permission(spec, user, context);
  const status = { allowed, ...(reason !== '' && { reason }) };
  return { object: { ...review, metadata: review.metadata, status }, code: 201 };
};

function permission(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  user: ApiUser,
  context: ServerContext,
): { readonly allowed: boolean; readonly reason: string } {
  const { path, verb } = nonResourceAttributes ?? {};
  const wanted: Attributes = resourceAttributes ?? { path, verb };
  const allowed = isPermitted(user, wanted, context);
  return { allowed, reason: '' };
}

/** Answers what the user of the request may do in a namespace. */
export const rulesReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const { namespace = '' } = (review['spec'] ?? {}) as { namespace?: string };
  const rules = rulesOf(request.user, namespace, context);
  const status = {
    resourceRules: rules.filter(({ resources }) => resources !== undefined),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined),
    incomplete: false,
  };
  return { object: { ...review, status }, code: 201 };
};

/** Answers who the user of the request is. */
export const selfReviewAnswer: ApiHandler = async (request) => {
  const review = await readObject(request);
  const { name: username, uid, groups } = request.user;
  return { object: withStatus(review, { userInfo: { username, ...(uid && { uid }), groups } }), code: 201 };
};

/** Answers whose token another server has got. Source: pkg/registry/authentication/tokenreview/storage.go. */
export const tokenReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const { token = '' } = (review['spec'] ?? {}) as { readonly token?: string };
  const found = context.userOf(token);
  if (found === undefined)
    return { object: withStatus(review, { user: {}, error: 'invalid bearer token' }), code: 201 };
  const { name: username, uid, groups } = found;
  const user = { username, ...(uid && { uid }), groups };
  return { object: withStatus(review, { authenticated: true, user, audiences: [API_AUDIENCE] }), code: 201 };
};

function withStatus(review: KubeObject, status: object): KubeObject {
  return { ...review, status };
}
