/** Standard output that may lose its reader: `podrun apply … | head -1`. */
export class StandardOutput {
  #isGone = false;
  #onGone: () => void = () => undefined;

  constructor() {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      this.#isGone = true;
      this.#onGone();
    });
  }

  write(text: string | Uint8Array): void {
    if (!this.#isGone) process.stdout.write(text);
  }

  /** Resolves when everything was handed to the reader, or the reader is gone: pipes take only so much at a time. */
  flush(): Promise<void> {
    if (this.#isGone || process.stdout.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => {
      process.stdout.write('', () => resolve());
    });
  }

  onReaderGone(callback: () => void): void {
    this.#onGone = callback;
    if (this.#isGone) callback();
  }
}
