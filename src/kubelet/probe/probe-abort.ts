/**
 * The abort of a probe. Node creates an AbortSignal about as slowly as a connection, and most probes need none: it is
 * created on first use.
 */
export class ProbeAbort {
  #isAborted = false;
  #onAbort: (() => void) | undefined;
  #controller: AbortController | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Aborted when the outcome does not matter any more. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Sets the one callback for the abort, and calls it when the probe is aborted already. Undefined: none. */
  onAbort(run: (() => void) | undefined): void {
    this.#onAbort = run;
    if (this.#isAborted) run?.();
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort();
    this.#onAbort?.();
  }
}
