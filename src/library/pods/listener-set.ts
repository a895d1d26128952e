/** Listeners to the objects of one run, in addition to the functions of the user. */
export class ListenerSet<T> {
  readonly #all = new Set<(about: T) => void>();

  add(listener: (about: T) => void): { close(): void } {
    this.#all.add(listener);
    return { close: () => this.#all.delete(listener) };
  }

  notify(about: T): void {
    for (const listener of this.#all) listener(about);
  }
}

/**
 * `Symbol.asyncDispose`. Node 20 lacks this symbol in vm contexts, in which some test runners run tests. Compilers of
 * `await using` then use the fallback symbol below.
 */
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
