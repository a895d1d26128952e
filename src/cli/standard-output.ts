import { preferences } from './preferences.ts';
import { flush, onOutputLost, print, type ReaderGone, waitingBytes } from './standard-streams.ts';

/** What may wait for a reader who is slow, or has not begun. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Standard output that may lose its reader: `podrun apply … | head -1`. */
export class StandardOutput {
  #taken: Promise<void> | undefined;

  write(text: string | Uint8Array): void {
    print('stdout', text);
  }

  /** Says what was done: with --quiet only where it was asked for in a format, as by `-o name`. */
  tell(text: string, format?: string): void {
    if (format !== undefined || !preferences().isQuiet) this.write(text);
  }

  /** Resolves when everything was handed to the reader, or the reader is gone. */
  flush(): Promise<void> {
    return flush('stdout');
  }

  /** When the reader is far behind: resolves when it has everything, or is gone. Undefined: it is not. */
  whenTaken(): Promise<void> | undefined {
    if (waitingBytes('stdout') <= WAITING_BYTES_MAX) return undefined;
    this.#taken ??= this.flush().finally(() => (this.#taken = undefined));
    return this.#taken;
  }

  /** Calls back when nobody reads any more, or nothing can be written; at once when that is known. */
  onReaderGone(callback: (how: ReaderGone) => void): void {
    onOutputLost(callback);
  }
}
