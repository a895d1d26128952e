/** Where go-yaml and YAML 1.2 differ on escapes in double quotes: `\'` is one, `\/` and surrogates are not. */
import { parse, type YAMLParseError } from 'yaml';
import { SourceError } from './source-text.ts';

const ESCAPE = /\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|U0000[dD][89a-fA-F][0-9a-fA-F]{2}|[^])/g;

/** Does the package complain about an escape that go-yaml knows? */
export function isQuoteEscape(text: string, error: YAMLParseError): boolean {
  return error.code === 'BAD_DQ_ESCAPE' && text.startsWith("\\'", error.pos[0]);
}

/**
 * The value of a double-quoted scalar, as go-yaml reads it.
 * @param raw as written, with its quotes
 * @param value as the package read it
 * @param offset of the opening quote
 * @throws SourceError for an escape that go-yaml does not know
 */
export function doubleQuotedValue(raw: string, value: string, offset: number): string {
  if (!raw.includes('\\')) return value;
  for (const match of raw.matchAll(ESCAPE)) {
    const [escape] = match;
    if (escape === '\\/') throw new SourceError('yaml: found unknown escape character', offset + match.index);
    if (escape.length > 2) {
      throw new SourceError('yaml: found invalid Unicode character escape code', offset + match.index);
    }
  }
  if (!raw.includes("\\'")) return value;
  const known = raw.replaceAll(ESCAPE, (escape) => (escape === "\\'" ? "'" : escape));
  return String(parse(known));
}
