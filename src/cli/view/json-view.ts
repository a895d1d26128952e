import type { StoredEvent, StoredPod, WatchEvent } from '../../api/objects.ts';
import type { ApplyView } from './apply-view.ts';
import { note } from '../preferences.ts';
import { StandardOutput } from '../standard-output.ts';
import type { ReaderGone } from '../standard-streams.ts';

/** Prints a watch event per line on standard output, and nothing else there. Messages go to standard error. */
export class JsonView implements ApplyView {
  readonly #out = new StandardOutput();
  readonly #printed = new Set<string>();

  pod(event: WatchEvent<StoredPod>): void {
    this.#out.write(`${JSON.stringify(event)}\n`);
  }

  event(event: WatchEvent<StoredEvent>): void {
    this.#out.write(`${JSON.stringify(event)}\n`);
  }

  output(): undefined {
    // Output of containers is in their logs.
  }

  hookOutput(): void {
    // Output of hooks is in a log.
  }

  note(text: string): void {
    note(text);
  }

  trouble(text: string): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    note(`Warning: ${text}`);
  }

  follow(): void {
    // Every state is printed when it comes.
  }

  commandStarts(): void {
    // COMMAND writes to the terminal itself.
  }

  ending(): void {
    // The watch events show the end.
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#out.onReaderGone(callback);
  }

  close(): void {
    // Nothing is buffered.
  }
}
