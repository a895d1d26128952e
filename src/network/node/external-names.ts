import type { Alarm, Clock } from '../../clock.ts';

/** The time that a Pod waits for this machine's resolver. */
const PATIENCE_MS = 1000;

/** The addresses of names that Services of type ExternalName stand for, as this machine's resolver knows them. */
export class ExternalNames {
  readonly #clock: Clock;
  readonly #onFound: () => void;
  /** By name. Empty: the resolver knows none, or has not answered. */
  readonly #addresses = new Map<string, readonly string[]>();

  /** @param onFound called when a name has addresses that it did not have */
  constructor(clock: Clock, onFound: () => void) {
    this.#clock = clock;
    this.#onFound = onFound;
  }

  addressesOf(name: string): readonly string[] {
    return this.#addresses.get(name) ?? [];
  }

  /** Looks up names without addresses. Resolves when all have been answered, or it takes too long. */
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

  /** The same for names that nobody has looked up yet. */
  lookUpNew(names: readonly string[]): Promise<void> {
    return this.lookUp(names.filter((name) => !this.#addresses.has(name)));
  }

  async #ask(name: string): Promise<void> {
    this.#addresses.set(name, []);
    const { lookup } = await import('node:dns/promises');
    const found = await lookup(name, { family: 4, all: true }).catch(() => []);
    if (found.length === 0) return;
    this.#addresses.set(
      name,
      found.map(({ address }) => address),
    );
    this.#onFound();
  }
}
