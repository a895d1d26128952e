import type { Alarm, Clock } from '../../clock.ts';

/** The time that a Pod waits for this machine's resolver. */
const PATIENCE_MS = 1000;

/** The addresses of names that Services of type ExternalName stand for, as this machine's resolver knows them. */
export class ExternalNames {
  readonly #clock: Clock;
  readonly #onFound: () => void;
  /** By name. Empty: the resolver does not know the name, or has not replied. */
  readonly #addresses = new Map<string, readonly string[]>();

  /** @param onFound called when a name has addresses that it did not have */
  constructor(clock: Clock, onFound: () => void) {
    this.#clock = clock;
    this.#onFound = onFound;
  }

  addressesOf(name: string): readonly string[] {
    return this.#addresses.get(name) ?? [];
  }

  /** Looks up names without addresses. Resolves when all look-ups are over, or after a time limit. */
  async lookUp(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => this.addressesOf(name).length === 0);
    if (fresh.length === 0) return;
    let alarm: Alarm | undefined;
    const isLate = new Promise<void>((resolve) => {
      alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + PATIENCE_MS, resolve);
    });
    await Promise.race([isLate, Promise.all(fresh.map((name) => this.#ask(name)))]);
    alarm?.cancel();
  }

  /** Does the same for names that were not looked up yet. */
  lookUpNew(names: readonly string[]): Promise<void> {
    return this.lookUp(names.filter((name) => !this.#addresses.has(name)));
  }

  async #ask(name: string): Promise<void> {
    this.#addresses.set(name, []);
    const { lookup } = await import('node:dns/promises');
    const resolved = await lookup(name, { family: 4, all: true }).catch(() => []);
    if (resolved.length === 0) return;
    this.#addresses.set(
      name,
      resolved.map(({ address }) => address),
    );
    this.#onFound();
  }
}
