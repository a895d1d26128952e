/** A line without an end is shown when it has grown this long, in characters. */
const LINE_MAX = 16 * 1024;

/** Makes lines of what one stream of a container prints, however it arrives. */
export class OutputLines {
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Uint8Array): void {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      this.#onLine(this.#rest.slice(0, end).replace(/\r$/, ''));
      this.#rest = this.#rest.slice(end + 1);
    }
    if (this.#rest.length > LINE_MAX) this.flush();
  }

  /** Shows what has no end yet: the container has ended, or the view closes. */
  flush(): void {
    if (this.#rest === '') return;
    this.#onLine(this.#rest);
    this.#rest = '';
  }
}
