import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from '../../print/timeline/glyphs.ts';

/**
 * The characters that a terminal can show. Plain ones where the locale has an encoding that is not UTF-8 (`C`, `POSIX`,
 * `de_DE.ISO-8859-1`). Where none is set, as in most containers, nobody has said so, and terminals know UTF-8.
 */
export function terminalGlyphs(env: Readonly<Record<string, string | undefined>>): Glyphs {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return !locale || /utf-?8/i.test(locale) ? UNICODE_GLYPHS : ASCII_GLYPHS;
}
