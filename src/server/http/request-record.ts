import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { ApiRequest } from '../../apiserver/index.ts';
import type { RequestCounts } from './request-counts.ts';
import type { AuditedRequest, AuditLog } from './audit.ts';

/** The longest id that a client may give its request. Source: apiserver/pkg/endpoints/filters/audit_init.go. */
const ID_MAX = 64;

/** The parts of a server that hear of each request. */
export interface RequestListeners {
  readonly clock: Clock;
  /** Undefined: no audit log is kept. */
  readonly audit: AuditLog | undefined;
  readonly counts: RequestCounts;
}

/** Follows a request to the end of its response, for the audit log and for the counts of `/metrics`. */
export class RequestRecord {
  readonly about: AuditedRequest;
  /** The path of the page that the request is about. Undefined: an object, or nothing that there is. */
  page: string | undefined;
  /** Undefined: no object of this server. */
  #request: ApiRequest | undefined;
  readonly #listeners: RequestListeners;
  readonly #raw: IncomingMessage;
  readonly #beganMs: number;
  readonly #audit: ReturnType<AuditLog['begin']> | undefined;
  /** Ends the count of the request as open. */
  #close: () => void;

  constructor(listeners: RequestListeners, raw: IncomingMessage) {
    const { clock, audit, counts } = listeners;
    const given = raw.headers['audit-id'];
    const id = typeof given === 'string' && given !== '' ? given.slice(0, ID_MAX) : randomUUID();
    this.about = { id, annotations: {} };
    this.#listeners = listeners;
    this.#raw = raw;
    this.#beganMs = clock.now().monotonicMs;
    this.#audit = audit?.begin(raw, this.about);
    this.#close = counts.begin(raw.method ?? '');
  }

  /** The request is understood. */
  handles(request: ApiRequest): void {
    this.about.request = request;
    this.#request = request;
    const ends = this.#listeners.counts.last(request);
    if (ends === undefined) return;
    this.#close();
    this.#close = ends;
  }

  /** Adds to the annotations of the audit event. */
  annotate(annotations: Readonly<Record<string, string>>): void {
    this.about.annotations = { ...this.about.annotations, ...annotations };
  }

  /** The response has begun, and lasts. */
  streams(code: number): void {
    this.#audit?.('ResponseStarted', code);
  }

  ends(code: number): void {
    const { clock, counts } = this.#listeners;
    this.#close();
    const seconds = (clock.now().monotonicMs - this.#beganMs) / 1000;
    counts.ended({ method: this.#raw.method ?? '', page: this.page ?? '', request: this.#request, code, seconds });
    this.#audit?.('ResponseComplete', code);
  }
}
