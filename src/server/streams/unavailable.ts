import { StatusError } from '../../apiserver/index.ts';

/** The answer about a place that takes no connection. */
export function serviceUnavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}

/** The response for a program behind a proxy whose own response must not be forwarded. */
export function badGateway(why: string): StatusError {
  return new StatusError({ code: 502, reason: 'BadGateway', message: `error trying to reach service: ${why}` });
}
