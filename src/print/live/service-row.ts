import { ageText } from './current-activity.ts';
import type { StatusRow } from './status-row.ts';

/** A Service in the live view. */
export interface FollowedService {
  readonly name: string;
  readonly creationTimestamp: string | undefined;
  /** The addresses at which this machine reaches it: `http://127.96.0.12:8080`. */
  readonly urls: readonly string[];
  /** Its endpoints, and those that new connections may go to. */
  readonly endpoints: number;
  readonly ready: number;
}

/** The line of a Service in the status block. */
export function serviceRow(service: FollowedService, nowMs: number): StatusRow {
  const { name, creationTimestamp, urls, endpoints, ready } = service;
  return {
    sign: '',
    name: `service/${name}`,
    ready: `${ready}/${endpoints}`,
    status: 'Service',
    restarts: '',
    age: ageText(creationTimestamp, nowMs),
    now: urls.join(' '),
    tone: ready > 0 ? 'good' : 'info',
  };
}
