import type { StoredEvent, StoredPod, WatchEvent } from '../../api/index.ts';
import type { Owned } from '../../controllers/index.ts';
import { PodClaims } from '../../apiserver/index.ts';
import type { Store } from '../../store/index.ts';
import type { ApplyView } from './apply-view.ts';
import type { Cli } from '../base/cli.ts';
import type { ReaderGone } from '../base/process.ts';

/** Prints a watch event per line on standard output, and nothing else there. Messages go to standard error. */
export class JsonView implements ApplyView {
  readonly #cli: Cli;
  readonly #printed = new Set<string>();
  /** Undefined: the Pods have none. */
  readonly #claims: PodClaims | undefined;

  /** @param store the objects of the run. Default: it makes no claims of volumes */
  constructor(cli: Cli, store?: Store) {
    this.#cli = cli;
    this.#claims = store && new PodClaims(store, (event) => this.#print(event));
  }

  pod(event: WatchEvent<StoredPod>): void {
    this.#print(event);
    if (event.type === 'ADDED') this.#claims?.add(event.object);
  }

  event(event: WatchEvent<StoredEvent>): void {
    this.#print(event);
  }

  object(event: WatchEvent<Owned>): void {
    this.#print(event);
  }

  output(): undefined {
    // Output of containers is in their logs.
  }

  hookOutput(): void {
    // Output of hooks is in a log.
  }

  pull(): void {
    // Events tell of pulls.
  }

  note(text: string): void {
    this.#cli.note(text);
  }

  trouble(text: string): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    this.#cli.warn(text);
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
    this.#cli.stdout.onReaderGone(callback);
  }

  close(): void {
    this.#claims?.close();
  }

  #print(event: WatchEvent<unknown>): void {
    this.#cli.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
