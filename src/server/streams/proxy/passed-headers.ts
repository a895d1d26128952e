import { headerPairs, sentOn } from '../../../network/index.ts';
import { protocolsIn } from '../../../apiserver/index.ts';

/** The headers of a request for a program. */
export interface PassedHeaders {
  /** Names and values, one after the other. */
  readonly headers: readonly string[];
  /** The names of dropped headers that say nothing about the user. */
  readonly left: readonly string[];
}

const wordsOf = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(' '));

/** Headers with a name of their own: the request and the page that it comes from, WebDAV, traces, keys of programs. */
const NAMES: ReadonlySet<string> = new Set(
  wordsOf([
    'a-im accept alt-used cache-control cookie date dnt early-data forwarded from host last-event-id link',
    'max-forwards origin ping-from ping-to pragma prefer priority purpose range referer save-data service-worker',
    'upgrade-insecure-requests user-agent via warning device-memory downlink dpr ect rtt viewport-width width',
    'access-control-request-headers access-control-request-method access-control-request-private-network',
    'depth destination if lock-token overwrite timeout translate',
    'b3 baggage elastic-apm-traceparent sentry-trace traceparent tracestate uber-trace-id',
    'api-key apikey csrf-token idempotency-key request-id rsc soapaction tus-resumable',
  ]),
);

/** Families of headers. The last one has headers that programs make up. */
const FAMILIES = wordsOf([
  'accept- content- if- sec-ch- sec-fetch- sec-gpc sec-purpose sec-websocket-',
  'ce- connect- dapr- grpc- hx- kbn- knative- next- turbo- uberctx- upload- x-',
]);

/** The families that say who asks. Programs believe them when they come from a proxy. */
const ABOUT_USER = ['x-remote-', 'x-client-cert', 'x-forwarded-client-cert', 'x-ssl-'];

/** The headers that the API server has read itself: no program needs them. */
const READ = ['authorization', 'impersonate-', 'audit-id', 'kubectl-', 'sec-websocket-protocol', ...ABOUT_USER];

/** The headers that podrun writes itself. */
const WRITTEN: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-uri']);

const PROTOCOLS = 'sec-websocket-protocol';

/**
 * The headers of a request for the program behind a proxy: headers of the lists above, and the protocols of a websocket
 * but for the token. Credentials stay here: for the server, and for what may be in front of it. Source:
 * apiserver/pkg/endpoints/filters, WithAuthentication and WithImpersonation, which remove what they read.
 */
export function headersForProgram(rawHeaders: readonly string[]): PassedHeaders {
  const headers: string[] = [];
  const left: string[] = [];
  for (const [name, value] of headerPairs(sentOn(rawHeaders))) {
    const lower = name.toLowerCase();
    if (WRITTEN.has(lower)) continue;
    const passed = lower === PROTOCOLS ? protocolsIn(value).join(', ') : value;
    if (isPassed(lower) && (lower !== PROTOCOLS || passed !== '')) headers.push(name, passed);
    else if (!beginsWithAny(lower, READ)) left.push(lower);
  }
  return { headers, left };
}

function isPassed(name: string): boolean {
  return (NAMES.has(name) || beginsWithAny(name, FAMILIES)) && !beginsWithAny(name, ABOUT_USER);
}

function beginsWithAny(name: string, beginnings: readonly string[]): boolean {
  return beginnings.some((beginning) => name.startsWith(beginning));
}
