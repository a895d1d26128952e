import { type Container, type HTTPGetAction, type HTTPHeader, joinHostPort, type StoredPod } from '../../api/index.ts';
import { parseGoPath } from './go-url.ts';
import { defaultHost, resolvePort, userAgent } from '../../lifecycle/index.ts';

/** A GET request, ready to be sent. */
export interface HttpRequest {
  /** The URL for messages. */
  readonly url: string;
  readonly isSecure: boolean;
  /** The name or address to connect to. An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The escaped path and query. */
  readonly path: string;
  /** Replaces host and port of the URL when the handler sets a Host header. */
  readonly hostHeader: string | undefined;
  /** All other headers, with repetitions, names in canonical form. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export type BuiltRequest =
  | { readonly ok: true; readonly request: HttpRequest }
  /** The error in kubelet's words. */
  | { readonly ok: false; readonly error: string };

/** The request of a probe or a hook. Source: pkg/probe/http/request.go NewRequestForHTTPGetAction. */
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

/** Headers that Go's client writes on its own. Source: Go's net/http reqWriteExcludeHeader. */
const NOT_SENT: ReadonlySet<string> = new Set(['Host', 'Content-Length', 'Transfer-Encoding', 'Trailer']);
const DROPPED_IF_EMPTY: ReadonlySet<string> = new Set(['Accept', 'User-Agent']);

function headersFor(given: readonly HTTPHeader[], purpose: 'probe' | 'lifecycle'): [string, string][] {
  const headers = given.map(({ name, value }): [string, string] => [canonicalHeaderName(name), value]);
  const has = (wanted: string): boolean => headers.some(([name]) => name === wanted);
  if (!has('User-Agent')) headers.unshift(['User-Agent', userAgent(purpose)]);
  if (!has('Accept')) headers.push(['Accept', '*/*']);
  return headers;
}

/** Turns `x-my-header` into `X-My-Header`. An invalid name stays unchanged. Source: Go's net/textproto. */
function canonicalHeaderName(name: string): string {
  if (!isHeaderName(name)) return name;
  return name.toLowerCase().replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** True for a valid name of a header. Source: RFC 9110 §5.6.2, token. */
export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** True for a valid value of a header. Source: golang.org/x/net/http/httpguts ValidHeaderFieldValue. */
export function isHeaderValue(value: string): boolean {
  return !/(?!\t)\p{Cc}/u.test(value);
}
