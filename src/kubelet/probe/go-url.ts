/** The parts of a URL's path that Go keeps apart. */
export interface GoPath {
  /** The escaped path. Empty when the text has none. */
  readonly path: string;
  /** The query with its question mark. Empty when the text has none. */
  readonly query: string;
  /** The fragment with its hash. Empty when the text has none. Never sent. */
  readonly fragment: string;
}

const CONTROL = /\p{Cc}/u;
const BAD_ESCAPE = /%(?![\da-fA-F]{2})/;
/** The characters of a path that needs no escaping. Source: Go's net/url validEncoded. */
const VALID_PATH = /^[\w.~!$&'()*+,;=:@/[\]%-]*$/;
/** The characters that Go does not escape in a path. All other characters become %XX. */
const KEPT = /[\w.~$&+,/:;=@-]/;

/**
 * Reads the path of an HTTP handler as kubelet does: recognizes query and fragment, drops scheme and host. A text that
 * is not a URL is a path as it stands.
 * Source: pkg/probe/http/request.go formatURL; Go's net/url.
 */
export function parseGoPath(text: string): GoPath {
  const [, beforeFragment = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(text) ?? [];
  const [, beforeQuery = '', query = ''] = /^([^?]*)(\?.*)?$/s.exec(beforeFragment) ?? [];
  const path = beforeQuery.replace(/^[a-zA-Z][a-zA-Z\d+.-]*:(?=\/)/, '').replace(/^\/\/[^/]*/, '');
  const hasColonFirst = /^[^/]*:/.test(path);
  if (CONTROL.test(text) || BAD_ESCAPE.test(path) || hasColonFirst) {
    return { path: rooted(escape(text)), query: '', fragment: '' };
  }
  const escaped = VALID_PATH.test(path) ? path : escape(unescape(path));
  return { path: rooted(escaped), query: query.replaceAll(/[^\u0021-\u007e]/gu, percentEncode), fragment };
}

function rooted(path: string): string {
  return path === '' || path.startsWith('/') ? path : `/${path}`;
}

function escape(path: string): string {
  return Array.from(path, (char) => (KEPT.test(char) ? char : percentEncode(char))).join('');
}

function unescape(path: string): string {
  const bytes = path.replaceAll(/%[\da-fA-F]{2}|[^%]+/g, (part) =>
    part.startsWith('%')
      ? String.fromCodePoint(Number.parseInt(part.slice(1), 16))
      : Buffer.from(part).toString('latin1'),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

function percentEncode(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
