import type { Writable } from 'node:stream';

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

  /** Resolves when everything was handed to the reader, or the reader is gone. */
  flush(): Promise<void> {
    return this.#isGone ? Promise.resolve() : handedOn(process.stdout);
  }

  onReaderGone(callback: () => void): void {
    this.#onGone = callback;
    if (this.#isGone) callback();
  }
}

/** Resolves when a stream has handed everything on, or nobody reads it any more: pipes take only so much at a time. */
export function handedOn(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('error', done);
      resolve();
    };
    stream.once('error', done);
    stream.write('', done);
  });
}
