import { visibleControls, wordWrap } from '../../print/index.ts';
import type { ReaderGone, Writer } from './process.ts';

/** The number of unread bytes above which podrun waits for a slow reader. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** The beginning of a line with an error or a warning. */
const MESSAGE = /^(error|warning): /im;

/**
 * Standard output or standard error of a command. All text passes through here, which keeps terminals safe: text may
 * contain names and messages of other programs, so its control characters are made visible. Bytes are written
 * unchanged: output of containers, and podrun's cursor movements.
 */
export class Output {
  readonly #writer: Writer;
  #isColored = false;
  #isExact = false;
  #taken: Promise<void> | undefined;

  readonly #breaksMessages: boolean;

  /** @param breaksMessages true to break errors and warnings between words, where a terminal would break within one */
  constructor(writer: Writer, { breaksMessages = false }: { readonly breaksMessages?: boolean } = {}) {
    this.#writer = writer;
    this.#breaksMessages = breaksMessages;
  }

  write(output: string | Uint8Array): void {
    this.#writer.write(typeof output === 'string' ? this.#fitted(this.safeText(output)) : output);
  }

  #fitted(text: string): string {
    if (!this.#breaksMessages || !MESSAGE.test(text) || !this.isTerminal) return text;
    const { columns = 0 } = this;
    return columns === 0 ? text : wordWrap(text, columns);
  }

  /** The text as `write` writes it. */
  safeText(text: string): string {
    return this.#isExact ? text : visibleControls(text, { keepsColors: this.#isColored });
  }

  /** Keeps podrun's own colour codes in texts from now on. */
  permitColors(): void {
    this.#isColored = true;
  }

  /** Writes texts unchanged from now on: a program reads the output of a template. */
  keepText(): void {
    this.#isExact = true;
  }

  /** True: programs that podrun starts inherit the stream. */
  get isInherited(): boolean {
    return this.#writer.isInherited;
  }

  get isTerminal(): boolean {
    return this.#writer.isTerminal;
  }

  /** The terminal. Undefined when the output goes elsewhere. Its first use loads Node's streams. */
  get terminal(): NodeJS.WriteStream | undefined {
    return this.#writer.terminal;
  }

  /** The columns of the terminal. Undefined without a terminal, or for a terminal without a size. */
  get columns(): number | undefined {
    return this.terminal?.columns || undefined;
  }

  /** Queues output for a slow reader in memory from now on, so that podrun can work meanwhile. */
  open(): void {
    this.#writer.open();
  }

  /** The number of bytes that a slow reader has not taken. */
  get waitingBytes(): number {
    return this.#writer.waitingBytes;
  }

  /** Resolves when the reader has all output, or is gone. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /**
   * A promise while the reader is far behind: it resolves when the reader has all output or is gone. Else undefined.
   */
  whenTaken(): Promise<void> | undefined {
    if (this.waitingBytes <= WAITING_BYTES_MAX) return undefined;
    this.#taken ??= this.flush().finally(() => (this.#taken = undefined));
    return this.#taken;
  }

  /** Calls back when the reader is gone or a write fails; at once when that has already happened. */
  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#writer.onLost(callback);
  }
}
