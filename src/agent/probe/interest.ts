/**
 * Whether somebody still wants to know what comes of a probe. Node makes an AbortSignal about as slowly as a
 * connection, and most probes can do without one: it is made where one is asked for.
 */
export class Interest {
  #isLost = false;
  #onLost: (() => void) | undefined;
  #controller: AbortController | undefined;

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Aborted when it is lost. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isLost) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Has the one who asked last called when it is lost, and at once where it is lost already; undefined: nobody. */
  onLost(run: (() => void) | undefined): void {
    this.#onLost = run;
    if (this.#isLost) run?.();
  }

  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#controller?.abort();
    this.#onLost?.();
  }
}
