import { StatusError } from '../../../apiserver/status-error.ts';

/** The answer about a place that takes no connection. */
export function serviceUnavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}

/** The answer for a program behind a proxy whose own answer may not go on. */
export function badGateway(why: string): StatusError {
  return new StatusError({ code: 502, reason: 'BadGateway', message: `error trying to reach service: ${why}` });
}
