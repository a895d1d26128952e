import type { KubeObject } from '../../api/objects.ts';
import { parseFieldSelector } from '../../api/select/field-selector.ts';
import { parseLabelSelector } from '../../api/select/label-selector.ts';
import type { ApiRequest } from '../request.ts';
import { asStatusError, badRequestStatus } from '../status-error.ts';

/** True for an object that a request selects. */
export type ObjectMatcher = (object: KubeObject) => boolean;

/**
 * The objects that a list or watch is about, by its label selector, its field selector and its name.
 * @throws {StatusError} 400 for a selector that cannot be read
 */
export function matcherOf({ query, resource, name }: ApiRequest): ObjectMatcher {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const matchers: ObjectMatcher[] = [];
  if (name !== undefined) matchers.push(({ metadata }) => metadata.name === name);
  try {
    if (labels !== '') matchers.push(labelMatcher(labels));
    if (fields !== '') matchers.push(parseFieldSelector(fields, resource.storage));
  } catch (error) {
    throw badRequestStatus(asStatusError(error).message);
  }
  return (object) => matchers.every((matches) => matches(object));
}

function labelMatcher(text: string): ObjectMatcher {
  const selector = parseLabelSelector(text);
  return ({ metadata }) => selector(metadata.labels ?? {});
}
