import { parseDuration } from '../../api/index.ts';
import type { ApiRequest, ApiVerb } from '../base/request.ts';
import { asStatusError, badRequestStatus } from '../base/status-error.ts';

const LISTS: readonly ApiVerb[] = ['list', 'watch', 'deletecollection'];

/** The whole numbers of a query, with the verbs that have them. Source: apimachinery/pkg/apis/meta/v1/types.go. */
const NUMBERS: Readonly<Record<string, readonly ApiVerb[]>> = {
  limit: LISTS,
  timeoutSeconds: LISTS,
  gracePeriodSeconds: ['delete', 'deletecollection'],
};

const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/**
 * Refuses a query with a parameter that cannot be read. Connections into Pods have parameters of their own.
 * Source: apimachinery/pkg/runtime/conversion.go; apiserver/pkg/endpoints/filters/request_deadline.go.
 * @throws {StatusError} 400
 */
export function checkParameters({ query, verb, subresource = '' }: ApiRequest): void {
  if (query.size === 0 || CONNECTIONS.has(subresource)) return;
  if (verb !== 'watch') checkTimeout(query.get('timeout') ?? '');
  for (const [name, verbs] of Object.entries(NUMBERS)) {
    const text = query.get(name) ?? '';
    if (text === '' || !verbs.includes(verb) || /^[-+]?\d+$/.test(text)) continue;
    throw badRequestStatus(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
}

/** The time after which a request is to be given up: none of podrun's lasts that long. */
function checkTimeout(text: string): void {
  if (text === '') return;
  try {
    parseDuration(text);
  } catch (error) {
    const why = asStatusError(error).message;
    throw badRequestStatus(`invalid timeout specified in the request URL - ${why}`);
  }
}
