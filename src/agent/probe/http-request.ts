import type { Container, HTTPGetAction, HTTPHeader } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { parseGoPath } from './go-url.ts';
import { defaultHost, joinHostPort, resolvePort, userAgent } from './target.ts';

/** A GET request, ready to be sent. */
export interface HttpRequest {
  /** As messages show it. */
  readonly url: string;
  readonly isSecure: boolean;
  /** Name or address to connect to; an IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Path and query, escaped. */
  readonly path: string;
  /** In place of host and port of the URL, when the handler asks for it. */
  readonly hostHeader: string | undefined;
  /** All others, with every repetition, names in canonical form. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type BuiltRequest =
  | { readonly ok: true; readonly request: HttpRequest }
  /** In kubelet's words. */
  | { readonly ok: false; readonly error: string };

/** The request that a probe or a hook asks for. Source: pkg/probe/http/request.go NewRequestForHTTPGetAction. */
export function requestFor(
  action: HTTPGetAction,
  pod: StoredPod,
  container: Container,
  purpose: 'probe' | 'lifecycle',
): BuiltRequest {
  const resolved = resolvePort(action.port, container);
  if (!resolved.ok) return resolved;
  const { port } = resolved;
  const hostname = action.host || defaultHost(pod);
  const isSecure = action.scheme === 'HTTPS';
  const { path, query, fragment } = parseGoPath(action.path ?? '/');
  const url = `${isSecure ? 'https' : 'http'}://${joinHostPort(hostname, port)}${path}${query}${fragment}`;
  const headers = headersFor(action.httpHeaders ?? [], purpose);
  return {
    ok: true,
    request: {
      url,
      isSecure,
      hostname,
      port,
      path: `${path || '/'}${query}`,
      hostHeader: headers.find(([name]) => name === 'Host')?.[1] || undefined,
      headers: headers.filter(([name, value]) => !NOT_SENT.has(name) && !(value === '' && DROPPED_IF_EMPTY.has(name))),
    },
  };
}

/** What Go's client writes on its own, whatever the caller says. Source: Go's net/http reqWriteExcludeHeader. */
const NOT_SENT: ReadonlySet<string> = new Set(['Host', 'Content-Length', 'Transfer-Encoding', 'Trailer']);
const DROPPED_IF_EMPTY: ReadonlySet<string> = new Set(['Accept', 'User-Agent']);

function headersFor(given: readonly HTTPHeader[], purpose: 'probe' | 'lifecycle'): [string, string][] {
  const headers = given.map(({ name, value }): [string, string] => [canonicalHeaderName(name), value]);
  const has = (wanted: string): boolean => headers.some(([name]) => name === wanted);
  if (!has('User-Agent')) headers.unshift(['User-Agent', userAgent(purpose)]);
  if (!has('Accept')) headers.push(['Accept', '*/*']);
  return headers;
}

/** `x-my-header` becomes `X-My-Header`; what is no header name stays as it is. Source: Go's net/textproto. */
function canonicalHeaderName(name: string): string {
  if (!isHeaderName(name)) return name;
  return name.toLowerCase().replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** May this be the name of a header? Source: RFC 9110 §5.6.2, token. */
export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** May this be the value of a header? Source: golang.org/x/net/http/httpguts ValidHeaderFieldValue. */
export function isHeaderValue(value: string): boolean {
  return !/(?!\t)\p{Cc}/u.test(value);
}
