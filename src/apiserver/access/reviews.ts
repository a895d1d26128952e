import type { KubeObject } from '../../api/index.ts';
import type { ApiHandler } from '../base/answer.ts';
import type { TypedFields } from '../base/typed-fields.ts';
import { readFields, readObject } from '../base/read-object.ts';
import { type Attributes, isPermitted, rulesOf } from './permissions.ts';
import { API_AUDIENCE } from '../base/service-tokens.ts';

/** The fields of a review of access. Source: staging/src/k8s.io/api/authorization/v1/types.go. */
interface AccessSpec {
  readonly user: string;
  readonly groups: readonly string[];
  readonly wanted: Attributes;
}

function accessSpecOf(fields: TypedFields): AccessSpec {
  const spec = fields.part('spec', 'SubjectAccessReviewSpec');
  const ofResource = spec?.part('resourceAttributes', 'ResourceAttributes');
  const ofPath = spec?.part('nonResourceAttributes', 'NonResourceAttributes');
  const names = ofResource === undefined ? (['path', 'verb'] as const) : RESOURCE_ATTRIBUTES;
  const part = ofResource ?? ofPath;
  const given = names.filter((name) => part?.has(name)).map((name) => [name, part?.text(name)]);
  return { user: spec?.text('user') ?? '', groups: spec?.texts('groups') ?? [], wanted: Object.fromEntries(given) };
}

const RESOURCE_ATTRIBUTES = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'] as const;

/** Responds whether a user, or the user of the request, may do something. */
export const accessReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const { user: name, groups, wanted } = readFields(review, request.resource, accessSpecOf);
  const isAboutSelf = request.resource.plural === 'selfsubjectaccessreviews';
  const allowed = isPermitted(isAboutSelf ? request.user : { name, groups }, wanted, context);
  return { object: { ...review, metadata: review.metadata, status: { allowed } }, code: 201 };
};

/** Responds with what the user of the request may do in a namespace. */
export const rulesReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const namespace = readFields(review, request.resource, specText('SelfSubjectRulesReviewSpec', 'namespace'));
  const rules = rulesOf(request.user, namespace, context);
  const status = {
    resourceRules: rules.filter(({ resources }) => resources !== undefined),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined),
    incomplete: false,
  };
  return { object: { ...review, status }, code: 201 };
};

/** Responds with the user of the request. */
export const selfReviewAnswer: ApiHandler = async (request) => {
  const review = await readObject(request);
  const { name: username, uid, groups } = request.user;
  return { object: withStatus(review, { userInfo: { username, ...(uid && { uid }), groups } }), code: 201 };
};

/**
 * Responds with the user of a token that another server has got. Source:
 * pkg/registry/authentication/tokenreview/storage.go.
 */
export const tokenReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readObject(request);
  const token = readFields(review, request.resource, specText('TokenReviewSpec', 'token'));
  const known = context.userOf(token);
  if (known === undefined)
    return { object: withStatus(review, { user: {}, error: 'invalid bearer token' }), code: 201 };
  const { name: username, uid, groups } = known;
  const user = { username, ...(uid && { uid }), groups };
  return { object: withStatus(review, { authenticated: true, user, audiences: [API_AUDIENCE] }), code: 201 };
};

/** Reads a text of the spec. Empty: it is missing. */
function specText(type: string, name: string): (fields: TypedFields) => string {
  return (fields) => fields.part('spec', type)?.text(name) ?? '';
}

function withStatus(review: KubeObject, status: object): KubeObject {
  return { ...review, status };
}
