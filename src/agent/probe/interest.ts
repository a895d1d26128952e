/**
 * The abort of a probe. Node creates an AbortSignal about as slowly as a connection, and most probes need none: it is
 * created on first use.
 */
export class Interest {
  #isLost = false;
  #onLost: (() => void) | undefined;
  #controller: AbortController | undefined;

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Aborted when the outcome does not matter any more. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isLost) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Sets the one callback for the abort, and calls it when the probe is aborted already. Undefined: none. */
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
