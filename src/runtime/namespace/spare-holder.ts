import type { Alarm, Clock } from '../../clock.ts';
import type { NamespaceFacts } from '../features.ts';
import { seesSameMounts } from './host-mounts.ts';
import { type BegunHolder, beginHolder, type NamespaceKind } from './holder.ts';

/** What most containers have of their own. */
const USUAL: readonly NamespaceKind[] = ['mount', 'uts', 'ipc', 'pid'];

/** A container that has just been started needs the machine more than the next one, if there will be one. */
const AFTER_START_MS = 200;

/**
 * Namespaces made ahead for the next container, which saves it a third of its start. They hold nothing yet, and end
 * with podrun like all others.
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

  /** From now on there is to be one. */
  prepare(): void {
    this.#isWanted = true;
    this.#begun ??= beginHolder({
      facts: this.#facts,
      id: 'spare',
      own: USUAL,
      base: undefined,
      network: undefined,
    });
    // A failure shows when it is to be used.
    this.#begun.catch(() => undefined);
  }

  /**
   * Hands it over, if there is one that has what is wanted; another one is made soon. Its mounts are those of the host
   * when it was made: once others have come or gone, it is of no use.
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

  /** Ends it at once and without waiting; there will be no other. */
  kill(): void {
    this.#isWanted = false;
    this.#alarm?.cancel();
    void this.#begun?.then(({ child }) => child.kill('SIGKILL')).catch(() => undefined);
  }

  /** The same; resolves when nothing is left of it. Never rejects. */
  async close(): Promise<void> {
    this.kill();
    const begun = await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    await begun?.ended;
  }
}
