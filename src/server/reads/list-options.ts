import { type FieldError, forbidden, notSupported } from '../../manifest/index.ts';
import { type ApiRequest, invalidObject } from '../../apiserver/index.ts';

const MATCHES = ['Exact', 'NotOlderThan'];

const FORBIDDEN = 'resourceVersionMatch is forbidden';

/**
 * Checks the options of a list or watch against each other.
 * Source: apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 * @throws {StatusError} 422
 */
export function checkListOptions({ query, verb }: ApiRequest): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const sendsInitial = query.get('sendInitialEvents');
  const isWatch = verb === 'watch';
  const errors: FieldError[] = [];
  if (sendsInitial !== null) errors.push(...initialEventErrors(isWatch, match));
  else if (match !== '') {
    const path = 'resourceVersionMatch';
    if (isWatch) errors.push(forbidden(path, `${FORBIDDEN} for watch unless sendInitialEvents is provided`));
    else if (version === '') errors.push(forbidden(path, `${FORBIDDEN} unless resourceVersion is provided`));
    if ((query.get('continue') ?? '') !== '') errors.push(forbidden(path, `${FORBIDDEN} when continue is provided`));
    if (!MATCHES.includes(match)) errors.push(notSupported(path, match, [...MATCHES, '']));
    else if (match === 'Exact' && version === '0')
      errors.push(forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (errors.length > 0) throw invalidObject(LIST_OPTIONS, '', errors);
}

const LIST_OPTIONS = { kind: 'ListOptions', group: 'meta.k8s.io' };

function initialEventErrors(isWatch: boolean, match: string): FieldError[] {
  if (!isWatch) return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (match === 'NotOlderThan') return [];
  const needs = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const wrong = match === '' ? [] : [notSupported('resourceVersionMatch', match, ['NotOlderThan'])];
  return [forbidden('resourceVersionMatch', needs), ...wrong];
}
