import { fromServer, PodrunError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';

/** The patch is malformed: status 400. */
export function badRequest(message: string): PodrunError {
  return fromServer('BadRequest', message);
}

/**
 * The patch does not fit the object: status 422. The API server hides the reason. podrun prints the reason on a line of
 * its own. Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go, NewGenericServerResponse.
 */
export function rejectedRequest(reason: string): PodrunError {
  const message = 'The request is invalid: the server rejected our request due to an error in our request';
  return new PodrunError('Invalid', message, { hint: reason });
}

/** The patch is too expensive: status 413. */
export function tooLarge(message: string): PodrunError {
  return fromServer('RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** An error without a status of its own. */
export function serverError(message: string): PodrunError {
  return new PodrunError('InternalError', `Error from server: ${message}`);
}

/** Formats a JSON value as Go's `%v` does: `map[a:1 b:[x y]]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isJsonObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, entry]) => `${key}:${goValue(entry)}`).join(' ')}]`;
}

/** The type of a value in Go's JSON decoder: `array`, `object`, `string`, `number`, `bool`, `null`. */
export function goJsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
