import { type KubeObject, parseFieldSelector, parseLabelSelector } from '../../api/index.ts';
import type { ApiRequest } from '../base/request.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { asStatusError, badRequestStatus } from '../base/status-error.ts';

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
    if (fields !== '') matchers.push(parseFieldSelector(fields, fieldsOf(resource), resource.custom?.selectable));
  } catch (error) {
    // The API server does not repeat the selector.
    const { message } = asStatusError(error);
    const [, term] = message.split(": can't understand '");
    if (term !== undefined) throw badRequestStatus(`invalid selector: '${fields}'; can't understand '${term}`);
    throw badRequestStatus(message.replace(/^invalid label selector "(?:[^"\\]|\\.)*": /, ''));
  }
  return (object) => matchers.every((matches) => matches(object));
}

/** The name by which the selectable fields of a resource are known: the two kinds of Events have different ones. */
function fieldsOf({ group, storage }: ServedResource): string {
  return group === 'events.k8s.io' ? 'events.events.k8s.io' : storage;
}

function labelMatcher(text: string): ObjectMatcher {
  const selector = parseLabelSelector(text);
  return ({ metadata }) => selector(metadata.labels ?? {});
}
