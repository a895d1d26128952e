/** A client that may be slower than what it is sent. */
export interface Reader {
  /** The bytes that wait for it. */
  readonly unreadBytes: number;
  /** Ends its connection. */
  cutOff(): void;
}

/** The bytes that all watches together may hold for their clients. */
const UNREAD_MAX = 256 * 1024 * 1024;

/** Bounds what waits for all clients: beyond, the slowest ones are cut off, which list again. */
export class UnreadBytes {
  readonly #max: number;
  /** The bytes that waited for each reader when it was last sent something. */
  readonly #bytesOf = new Map<Reader, number>();
  #sum = 0;

  constructor(max: number = UNREAD_MAX) {
    this.#max = max;
  }

  /** Counts what waits for a reader. Called after each write. */
  wrote(reader: Reader): void {
    this.#count(reader, reader.unreadBytes);
    if (this.#sum <= this.#max) return;
    // Some may have read on since.
    for (const each of this.#bytesOf.keys()) this.#count(each, each.unreadBytes);
    while (this.#sum > this.#max) this.#cutOffSlowest();
  }

  /** Forgets a reader that is gone. */
  remove(reader: Reader): void {
    this.#count(reader, 0);
    this.#bytesOf.delete(reader);
  }

  #count(reader: Reader, bytes: number): void {
    this.#sum += bytes - (this.#bytesOf.get(reader) ?? 0);
    this.#bytesOf.set(reader, bytes);
  }

  #cutOffSlowest(): void {
    const [slowest] = [...this.#bytesOf].reduce((most, each) => (each[1] > most[1] ? each : most));
    this.remove(slowest);
    slowest.cutOff();
  }
}
