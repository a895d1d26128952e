/** The parts of a URL's path that Go keeps apart. */
export interface GoPath {
  /** Escaped, as it is sent. Empty where the text has none. */
  readonly path: string;
  /** With its question mark. Empty where the text has none. */
  readonly query: string;
  /** With its hash. Empty where the text has none; never sent. */
  readonly fragment: string;
}

const CONTROL = /\p{Cc}/u;
const BAD_ESCAPE = /%(?![\da-fA-F]{2})/;
/** A path of these needs no escaping. Source: Go's net/url validEncoded. */
const VALID_PATH = /^[\w.~!$&'()*+,;=:@/[\]%-]*$/;
/** What Go's escape leaves alone in a path; everything else becomes %XX. */
const KEPT = /[\w.~$&+,/:;=@-]/;

/**
 * Reads the path of an HTTP handler as kubelet does: query and fragment are recognized, scheme and host are dropped,
 * and what is no URL is taken for a path as it stands. Source: pkg/probe/http/request.go formatURL; Go's net/url.
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
