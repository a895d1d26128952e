import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { StatusError } from '../../apiserver/base/status-error.ts';

/** The names under which clients reach the server. A Pod uses the names of the Service. */
const NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]);

/**
 * Refuses requests that a website makes a browser send: those with a Host that is a name of a domain, and those with
 * another Origin.
 * @throws {StatusError} 403
 */
export function checkOrigin({ host = '', origin }: IncomingHttpHeaders): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 0 && !NAMES.has(name)) throw refused(`the host ${JSON.stringify(host)} is not this server`);
  // Some clients name http in any case. No website is at that address: the port speaks TLS only.
  if (origin === undefined || [`https://${host}`, `http://${host}`].includes(origin)) return;
  throw refused(`the origin ${JSON.stringify(origin)} may not use this server`);
}

function refused(why: string): StatusError {
  return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
}
