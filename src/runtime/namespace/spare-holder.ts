import type { Alarm, Clock } from '../../clock.ts';
import type { NamespaceFacts } from '../features.ts';
import { seesSameMounts } from './host-mounts.ts';
import { type BegunHolder, beginHolder, type NamespaceKind } from './holder.ts';

/** The own namespaces of most containers. */
const USUAL: readonly NamespaceKind[] = ['mount', 'uts', 'ipc', 'pid'];

/** The delay before the next spare holder: a container that was just started needs the CPU more. */
const AFTER_START_MS = 200;

/**
 * Namespaces created ahead for the next container, which saves a third of its start. They are empty, and end with
 * podrun.
 */
export class SpareHolder {
  readonly #facts: NamespaceFacts;
  readonly #clock: Clock;
  #begun: Promise<BegunHolder> | undefined;
  #alarm: Alarm | undefined;
  #isWanted = false;

  constructor(facts: NamespaceFacts, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
  }

  /** Starts a spare holder, and keeps one from now on. */
  prepare(): void {
    this.#isWanted = true;
    this.#begun ??= beginHolder({
      facts: this.#facts,
      id: 'spare',
      own: USUAL,
      base: undefined,
      network: undefined,
    });
    // The failure is reported when a container is started.
    this.#begun.catch(() => undefined);
  }

  /**
   * Takes the spare holder, if it has the right kinds, and soon starts another one. Its mounts are a copy of the
   * host's: after a change of those, it is not usable.
   */
  async take(own: readonly NamespaceKind[]): Promise<BegunHolder | undefined> {
    const taken = this.#begun;
    if (taken === undefined || own.join() !== USUAL.join()) return undefined;
    this.#begun = undefined;
    this.#alarm?.cancel();
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + AFTER_START_MS, () => {
      if (this.#isWanted) this.prepare();
    });
    const begun = await taken.catch(() => undefined);
    if (begun?.child.pid !== undefined && seesSameMounts(begun.child.pid)) return begun;
    begun?.child.kill('SIGKILL');
    return undefined;
  }

  /** Kills it without waiting, and starts no other. */
  kill(): void {
    this.#isWanted = false;
    this.#alarm?.cancel();
    void this.#begun?.then(({ child }) => child.kill('SIGKILL')).catch(() => undefined);
  }

  /** Kills it, and resolves when it has ended. Never rejects. */
  async close(): Promise<void> {
    this.kill();
    const begun = await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    await begun?.ended;
  }
}
