import { PodrunError, type StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { type FileStore, LEASE_RENEWAL_MS } from '../../store/index.ts';

export interface StateGuardOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  /** Called once when the state folder cannot be used any more. All Pods of this process are then ended. */
  readonly onLost: (why: string) => void;
  /** Called after each renewal. */
  readonly onRenewed: () => void;
  /** Called when the record of one Pod was removed. */
  readonly onTrouble: (text: string) => void;
}

/**
 * Renews the lease of this process every ten seconds. The lease shows other processes that this agent is alive, and its
 * renewal shows this one that the state folder still exists.
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

  /** True when a Pod's states are not recorded any more. */
  get hasLost(): boolean {
    return this.#hasLostRecord || this.#hasLostFolder;
  }

  /** True when the state folder cannot be written to any more. */
  get hasLostFolder(): boolean {
    return this.#hasLostFolder;
  }

  /**
   * Reports the loss of a Pod's record, or of the whole folder. Nothing is lost of a Pod without a node: of thousands
   * that another process has deleted by force, the last words were not read in time.
   */
  recordLost({ metadata, spec }: StoredPod): void {
    if (this.#hasLostFolder || !this.#renew(true) || spec.nodeName === undefined) return;
    this.#hasLostRecord = true;
    const { root } = this.#options.store;
    this.#options.onTrouble(
      `the record of pod/${metadata.name} was removed from the state folder ${root}: ending the Pod`,
    );
  }

  /** Ends the lease. */
  close(): void {
    this.#alarm?.cancel();
    if (!this.#hasLostFolder) this.#options.store.leases.end();
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LEASE_RENEWAL_MS, () => {
      if (!this.#renew()) return;
      this.#plan();
      this.#options.onRenewed();
    });
  }

  /** Returns false when the state folder is lost. */
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
