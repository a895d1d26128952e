const SHORT: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]))/y;

/**
 * Replaces the escapes in a Go text between quotes of this kind. Undefined: an escape is invalid. Source: Go's
 * strconv.UnquoteChar.
 */
export function unquoteGo(inside: string, quote: string): string | undefined {
  let text = '';
  for (let at = 0; at < inside.length;) {
    const character = inside.charAt(at);
    if (character === quote) return undefined;
    if (character !== '\\') {
      text += character;
      at += 1;
      continue;
    }
    ESCAPE.lastIndex = at;
    const match = ESCAPE.exec(inside);
    const meant = match === null ? undefined : meaning(match, quote);
    if (meant === undefined) return undefined;
    text += meant;
    at = ESCAPE.lastIndex;
  }
  return text;
}

function meaning([, byte, short, long, octal, letter]: RegExpExecArray, quote: string): string | undefined {
  const hex = byte ?? short ?? long;
  const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
  if (Number.isNaN(code)) return letter === quote ? quote : SHORT[letter ?? ''];
  return code > 0x10_ff_ff ? undefined : String.fromCodePoint(code);
}
