import { PodrunError } from '../errors.ts';
import { isJsonObject } from '../json.ts';

/** The patch itself makes no sense: status 400. */
export function badRequest(message: string): PodrunError {
  return new PodrunError(`Error from server (BadRequest): ${message}`);
}

/**
 * The patch makes sense, but not for this object: status 422. The API server keeps to itself what the matter is;
 * podrun says it on a line of its own.
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go, NewGenericServerResponse.
 */
export function rejectedRequest(reason: string): PodrunError {
  const message = 'The request is invalid: the server rejected our request due to an error in our request';
  return new PodrunError(message, { hint: reason });
}

/** The patch would cost too much: status 413. */
export function tooLarge(message: string): PodrunError {
  return new PodrunError(`Error from server (RequestEntityTooLarge): Request entity too large: ${message}`);
}

/** An error without a status of its own. */
export function serverError(message: string): PodrunError {
  return new PodrunError(`Error from server: ${message}`);
}

/** A JSON value as Go's `%v` shows it: `map[a:1 b:[x y]]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isJsonObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, entry]) => `${key}:${goValue(entry)}`).join(' ')}]`;
}

/** What Go's JSON decoder calls a value: `array`, `object`, `string`, `number`, `bool`, `null`. */
export function goJsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
