import { terminalLine } from '../text/terminal-text.ts';

/** The length in bytes at which an incomplete line is shown. */
const LINE_MAX = 16 * 1024;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

/** Splits one stream of a container's output into lines. */
export class OutputLines {
  readonly #onLines: (lines: Buffer) => void;
  #rest: Buffer = NOTHING;

  /** @param onLines is called with whole lines and their newlines; the buffer is valid only during the call */
  constructor(onLines: (lines: Buffer) => void) {
    this.#onLines = onLines;
  }

  write(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = chunk.subarray(0, end);
      const rest = this.#rest;
      this.#rest = NOTHING;
      this.#onLines(rest.length === 0 ? lines : Buffer.concat([rest, lines]));
    }
    if (end === chunk.length) return;
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(end)]);
    if (this.#rest.length > LINE_MAX) this.#show(endOfCharacters(this.#rest));
  }

  /** Passes on the incomplete last line: the container has ended, or the view closes. */
  flush(): void {
    if (this.#rest.length > 0) this.#show(this.#rest.length);
  }

  #show(end: number): void {
    const line = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    this.#onLines(Buffer.concat([line, Buffer.of(NEWLINE)]));
  }
}

/** The offset after the last complete UTF-8 character: up to three bytes of an incomplete one may follow. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/** The format of output lines. */
export interface LinesStyle {
  readonly prefix: string;
  /** True to escape lines for a terminal. Otherwise every byte stays. */
  readonly isTerminal: boolean;
  /** The beginning of the lines in which a long one continues, and its room there. Default: none continues. */
  readonly continued?: { readonly prefix: string; readonly room: number } | undefined;
}

/**
 * Puts a prefix before each line, and removes carriage returns. In a terminal, a long line continues in lines below.
 * @param lines ends with a newline
 */
export function prefixLines(lines: Buffer, { prefix, isTerminal, continued }: LinesStyle): Buffer {
  // Latin-1 has a character for every byte.
  const encoding = isTerminal ? 'utf8' : 'latin1';
  const head = Buffer.from(prefix).toString(encoding);
  const texts = lines.toString(encoding, 0, lines.length - 1).split('\n');
  const marked = texts.map((line) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (!isTerminal) return `${head}${text}\n`;
    const clean = terminalLine(text);
    const pieces = continued === undefined ? [clean] : brokenLine(clean, continued.room);
    return `${head}${pieces.join(`\n${continued?.prefix ?? ''}`)}\n`;
  });
  return Buffer.from(marked.join(''), encoding);
}

const RESET = '\u001B[0m';
const STYLE_OR_CHARACTER = new RegExp(String.raw`\u001B\[[\d;:]*m|.`, 'gsu');
/** The blocks of characters that take two cells of a terminal. */
const WIDE = new RegExp(
  String.raw`[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60` +
    String.raw`\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]`,
  'u',
);
/** A room in which nothing can be read. */
const LEAST_ROOM = 8;

/** Breaks a line of a program between words. Each piece has the colours that the line has there. */
function brokenLine(line: string, room: number): string[] {
  if (line.length <= room || room < LEAST_ROOM) return [line];
  const pieces: string[] = [];
  let style = '';
  let piece = '';
  let used = 0;
  let blankAt = 0;
  for (const [token] of line.matchAll(STYLE_OR_CHARACTER)) {
    if (token.length > 1 && token.startsWith('\u001B')) {
      style = token === RESET || token === '\u001B[m' ? '' : style + token;
      piece += token;
      continue;
    }
    const cells = WIDE.test(token) ? 2 : 1;
    if (used + cells > room) {
      // A long word is cut: a blank far in front would waste the line.
      const cut = token !== ' ' && blankAt > piece.length / 2 ? blankAt : piece.length;
      const rest = piece.slice(cut).trimStart();
      pieces.push(style === '' ? piece.slice(0, cut).trimEnd() : `${piece.slice(0, cut).trimEnd()}${RESET}`);
      piece = style + rest;
      used = rest.replaceAll(STYLE_OR_CHARACTER, (part) => (part.startsWith('\u001B') ? '' : 'x')).length;
      blankAt = 0;
      if (token === ' ') continue;
    }
    piece += token;
    used += cells;
    if (token === ' ') blankAt = piece.length;
  }
  return [...pieces, piece];
}
