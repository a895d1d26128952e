/** The end of a text that comes in pieces, of any length. */
export class TextTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Now and then, so that many small pieces are not copied each time.
    if (this.#bytes > 2 * this.#maxBytes) this.#cut();
  }

  /** Whole lines, where the beginning is missing: a first line says so. */
  get text(): string {
    if (this.#bytes > this.#maxBytes) this.#cut();
    const text = Buffer.concat(this.#chunks).toString();
    return this.#isCut ? `… what came before is not kept\n${text.slice(text.indexOf('\n') + 1)}` : text;
  }

  #cut(): void {
    const end = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#maxBytes));
    this.#chunks = [end];
    this.#bytes = end.length;
    this.#isCut = true;
  }
}
