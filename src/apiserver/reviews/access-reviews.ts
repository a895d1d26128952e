import type {
  KubeObject,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../api/index.ts';
import {
  type FieldError,
  validateAccessReview,
  validateLocalAccessReview,
  validateSelfAccessReview,
} from '../../manifest/index.ts';
import { type Attributes, reasonOfPermission, rulesOf } from '../access/permissions.ts';
import type { ApiHandler } from '../base/answer.ts';
import { badRequestStatus, invalidObject } from '../base/status-error.ts';
import { permitReview, readReview } from './read-review.ts';

/** The mistakes of each kind of review, by its plural. */
const CHECKS: Readonly<Record<string, (review: object) => FieldError[]>> = {
  localsubjectaccessreviews: validateLocalAccessReview,
  selfsubjectaccessreviews: validateSelfAccessReview,
  subjectaccessreviews: validateAccessReview,
};

/**
 * Responds whether a user, or the user of the request, may do something.
 * Source: pkg/registry/authorization/subjectaccessreview/rest.go and its neighbours.
 */
export const accessReviewAnswer: ApiHandler = async (request, context) => {
  const { group, plural } = request.resource;
  const review = (await readReview(request, context)) as SubjectAccessReview & KubeObject;
  const errors = CHECKS[plural]?.(review) ?? [];
  // The API server names no kind here.
  if (errors.length > 0) throw invalidObject({ group, kind: '' }, '', errors);
  await permitReview(review, request, context);
  const { user: name = '', groups = [] } = review.spec;
  const user = plural === 'selfsubjectaccessreviews' ? request.user : { name, groups };
  const reason = reasonOfPermission(user, attributesOf(review.spec), context);
  const status = { allowed: reason !== undefined, ...(reason && { reason }) };
  return { object: { ...review, status }, code: 201 };
};

function attributesOf({ resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec): Attributes {
  if (resourceAttributes === undefined) return { path: '', ...nonResourceAttributes };
  const { namespace, verb, group, resource, subresource, name } = resourceAttributes;
  return { namespace, verb, group, resource, subresource, name };
}

/**
 * Responds with what the user of the request may do in a namespace.
 * Source: pkg/registry/authorization/selfsubjectrulesreview/rest.go.
 */
export const rulesReviewAnswer: ApiHandler = async (request, context) => {
  const review = (await readReview(request, context)) as Partial<SelfSubjectRulesReview> & KubeObject;
  const { namespace } = review.spec ?? {};
  if (!namespace) throw badRequestStatus('no namespace on request');
  await permitReview(review, request, context);
  const rules = rulesOf(request.user, namespace, context);
  const status = {
    resourceRules: rules.filter(({ resources }) => resources !== undefined),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined),
    incomplete: false,
  };
  const { kind, apiVersion } = review;
  return { object: { kind, apiVersion, metadata: {}, spec: {}, status }, code: 201 };
};
