import { PodrunError } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { FileStore } from '../store/file-store.ts';
import { LEASE_RENEWAL_MS } from '../store/leases.ts';

export interface StateGuardOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The state folder cannot be used any more: told once. All Pods of this process are to be ended. */
  readonly onLost: (why: string) => void;
  /** The record of one Pod was removed. */
  readonly onTrouble: (text: string) => void;
}

/**
 * Renews the lease of this process every ten seconds, which shows others that its agent moves, and this process that
 * its state folder is still there.
 */
export class StateGuard {
  readonly #options: StateGuardOptions;
  #alarm: Alarm | undefined;
  #hasLostRecord = false;
  #hasLostFolder = false;

  /** @throws {PodrunError} when the state folder cannot be written to */
  constructor(options: StateGuardOptions) {
    this.#options = options;
    options.store.leases.begin();
    this.#plan();
  }

  /** True when what became of a Pod is on no record. */
  get hasLost(): boolean {
    return this.#hasLostRecord || this.#hasLostFolder;
  }

  /** True when nothing can be written to the state folder any more. */
  get hasLostFolder(): boolean {
    return this.#hasLostFolder;
  }

  /** The record of a Pod is gone, perhaps with all others. */
  recordLost({ metadata }: StoredPod): void {
    if (this.#hasLostFolder || !this.#renew(true)) return;
    this.#hasLostRecord = true;
    const { root } = this.#options.store;
    this.#options.onTrouble(
      `the record of pod/${metadata.name} was removed from the state folder ${root}: ending the Pod`,
    );
  }

  /** Gives the lease back. */
  close(): void {
    this.#alarm?.cancel();
    if (!this.#hasLostFolder) this.#options.store.leases.end();
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LEASE_RENEWAL_MS, () => {
      if (this.#renew()) this.#plan();
    });
  }

  /** False: the state folder is lost. */
  #renew(isDoubtful = false): boolean {
    try {
      this.#options.store.leases.renew(isDoubtful);
      return true;
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#alarm?.cancel();
      this.#hasLostFolder = true;
      this.#options.onLost(error.message);
      return false;
    }
  }
}
