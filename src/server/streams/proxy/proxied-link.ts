import type { IncomingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import { headerPairs } from '../../../network/index.ts';

/** The page behind a proxy that links are on. */
export interface ProxiedLink {
  /** The path of the proxy: `/api/v1/namespaces/default/pods/web/proxy`. */
  readonly prefix: string;
  /** `ADDRESS:PORT` of the program. */
  readonly targetHost: string;
  /** The host that the client has asked. */
  readonly requestHost: string;
}

/** Scheme, host, path, and the rest. Source: RFC 3986, appendix B. */
const URL_PARTS = /^(?:[^:/?#]+:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)/s;

/** The lengths and sums of a page that is changed on the way. */
const OF_BODY = /^(?:content-length|content-md5|etag|accept-ranges)$/i;

/** Encodings that are read, or need not be: pages in any other encoding stay unchanged. */
const READABLE = new Set([undefined, '', 'identity', 'gzip']);

/** True for a page of HTML, with links that are to lead through the proxy. */
export function isPage(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  return /^text\/html\b/i.test(type) && !/charset\W*utf-(?:16|32)/i.test(type) && READABLE.has(encoding);
}

/** The headers of a page that is changed on the way: its length is not known before. */
export function pageHeaders(headers: readonly string[]): string[] {
  return headerPairs(headers)
    .filter(([name]) => !OF_BODY.test(name))
    .flat();
}

/** A program has no say about the websites that may read the API. */
const CROSS_ORIGIN = /^access-control-allow-(?:credentials|headers|methods|origin)$/i;

/**
 * The headers of a program's answer for the client: a redirect leads through the proxy.
 * Source: apimachinery/pkg/util/proxy/transport.go, upgradeaware.go.
 */
export function headersForClient(headers: readonly string[], link: ProxiedLink): string[] {
  return headerPairs(headers)
    .filter(([name]) => !CROSS_ORIGIN.test(name))
    .flatMap(([name, value]) => [name, name.toLowerCase() === 'location' ? throughProxy(value, link) : value]);
}

/** The link of a page, through the proxy when it leads to the same program. A relative one does so by itself. */
export function throughProxy(url: string, { prefix, targetHost, requestHost }: ProxiedLink): string {
  const [, host = '', path = '', rest = ''] = URL_PARTS.exec(url) ?? [];
  const isForeignHost = host !== '' && host !== targetHost && host !== requestHost;
  if (isForeignHost || !path.startsWith('/')) return url;
  const place = host !== '' && host === requestHost ? url.slice(0, url.indexOf(host) + host.length) : '';
  return place + (path.startsWith(prefix) ? path : posix.join(prefix, path)) + rest;
}
