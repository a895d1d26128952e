import { formatSeconds, type KubeObject, type TokenReview } from '../../api/index.ts';
import type { ApiHandler } from '../base/answer.ts';
import { userInfoOf } from '../base/request.ts';
import { badRequestStatus } from '../base/status-error.ts';
import { permitReview, readReview } from './read-review.ts';

/** Responds with the user of the request. Source: pkg/registry/authentication/selfsubjectreview/rest.go. */
export const selfReviewAnswer: ApiHandler = async (request, context) => {
  const review = await readReview(request, context);
  await permitReview(review, request, context);
  const { kind, apiVersion } = review;
  const metadata = { creationTimestamp: formatSeconds(context.clock.now().wallMs) };
  return { object: { kind, apiVersion, metadata, status: { userInfo: userInfoOf(request.user) } }, code: 201 };
};

/**
 * Responds with the user of a token that another server has got.
 * Source: pkg/registry/authentication/tokenreview/storage.go.
 */
export const tokenReviewAnswer: ApiHandler = async (request, context) => {
  const review = (await readReview(request, context)) as Partial<TokenReview> & KubeObject;
  const { token = '', audiences = [] } = review.spec ?? {};
  if (token === '') throw badRequestStatus('token is required for TokenReview in authentication');
  await permitReview(review, request, context);
  const verdict = context.userOf(token, audiences.length > 0 ? audiences : undefined);
  if (verdict.user === undefined) {
    const { problem } = verdict;
    const error = problem === undefined ? WRONG : `[${WRONG}, ${problem}]`;
    return { object: { ...review, status: { user: {}, error } }, code: 201 };
  }
  const status = { authenticated: true, user: userInfoOf(verdict.user), audiences: verdict.audiences };
  return { object: { ...review, status }, code: 201 };
};

const WRONG = 'invalid bearer token';
