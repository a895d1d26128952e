import { StatusError } from '../../status-error.ts';

/** The answer about a place that takes no connection. */
export function serviceUnavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}
