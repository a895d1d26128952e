export type WordsOutcome =
  | { readonly ok: true; readonly words: string[] }
  | { readonly ok: false; readonly problem: string };

/** Characters that a backslash escapes inside double quotes. Before any other character it is an ordinary character. */
const ESCAPED_IN_QUOTES = '"\\$`\n';

/**
 * Splits a command into words as a POSIX shell does: blanks separate, quotes and backslashes join. Variables, globs and
 * operators are ordinary characters.
 */
export function splitWords(text: string): WordsOutcome {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    at += 1;
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === '\\') {
      if (at === text.length) return { ok: false, problem: 'ends with a backslash' };
      // A backslash removes a following line end, as in a shell.
      if (text.charAt(at) !== '\n') word = (word ?? '') + text.charAt(at);
      at += 1;
    } else if (char === "'" || char === '"') {
      const quoted = char === "'" ? readSingle(text, at) : readDouble(text, at);
      if (quoted === undefined) return { ok: false, problem: `has no closing ${char}` };
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return { ok: true, words };
}

interface Quoted {
  readonly text: string;
  /** The offset after the closing quote. */
  readonly end: number;
}

function readSingle(text: string, from: number): Quoted | undefined {
  const close = text.indexOf("'", from);
  return close === -1 ? undefined : { text: text.slice(from, close), end: close + 1 };
}

function readDouble(text: string, from: number): Quoted | undefined {
  let out = '';
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { text: out, end: at + 1 };
    const next = text.charAt(at + 1);
    if (char === '\\' && next !== '' && ESCAPED_IN_QUOTES.includes(next)) {
      if (next !== '\n') out += next;
      at += 1;
    } else {
      out += char;
    }
  }
  return undefined;
}
