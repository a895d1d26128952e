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
}

/**
 * Puts a prefix before each line, and removes carriage returns.
 * @param lines ends with a newline
 */
export function prefixLines(lines: Buffer, { prefix, isTerminal }: LinesStyle): Buffer {
  // Latin-1 has a character for every byte.
  const encoding = isTerminal ? 'utf8' : 'latin1';
  const head = Buffer.from(prefix).toString(encoding);
  const texts = lines.toString(encoding, 0, lines.length - 1).split('\n');
  const shown = texts.map((line) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    return `${head}${isTerminal ? terminalLine(text) : text}\n`;
  });
  return Buffer.from(shown.join(''), encoding);
}
