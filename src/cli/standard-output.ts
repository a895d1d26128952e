import { preferences } from './preferences.ts';
import { flush, onOutputLost, print, type ReaderGone, waitingBytes } from './standard-streams.ts';

/** The number of unread bytes above which podrun waits for a slow reader. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Standard output, whose reader may go away: `podrun apply … | head -1`. */
export class StandardOutput {
  #taken: Promise<void> | undefined;

  write(text: string | Uint8Array): void {
    print('stdout', text);
  }

  /** Prints a result. With --quiet, prints it only in a format that the user asked for, such as `-o name`. */
  tell(text: string, format?: string): void {
    if (format !== undefined || !preferences().isQuiet) this.write(text);
  }

  /** Resolves when the reader has all output, or is gone. */
  flush(): Promise<void> {
    return flush('stdout');
  }

  /**
   * A promise while the reader is far behind: it resolves when the reader has all output or is gone. Else undefined.
   */
  whenTaken(): Promise<void> | undefined {
    if (waitingBytes('stdout') <= WAITING_BYTES_MAX) return undefined;
    this.#taken ??= this.flush().finally(() => (this.#taken = undefined));
    return this.#taken;
  }

  /** Calls back when the reader is gone or a write fails; at once when that has already happened. */
  onReaderGone(callback: (how: ReaderGone) => void): void {
    onOutputLost(callback);
  }
}
