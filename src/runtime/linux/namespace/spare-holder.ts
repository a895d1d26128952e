import type { Alarm, Clock } from '../../../clock.ts';
import type { FileOwners } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import { seesSameMounts } from '../paths/host-mounts.ts';
import { type StartedHolder, startHolder, type NamespaceKind } from './holder.ts';

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
  #started: Promise<StartedHolder> | undefined;
  #alarm: Alarm | undefined;
  #isWanted = false;
  /** The users of the last container: the next one probably has the same. */
  #users: FileOwners;

  constructor(facts: NamespaceFacts, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
    this.#users = facts.mode === 'root' ? 'root' : 'single';
  }

  /** Starts a spare holder, and keeps one from now on. */
  prepare(): void {
    this.#isWanted = true;
    this.#started ??= startHolder({
      facts: this.#facts,
      id: 'spare',
      own: USUAL,
      users: this.#users,
      base: undefined,
      network: undefined,
    });
    // The failure is reported when a container is started.
    this.#started.catch(() => undefined);
  }

  /**
   * Takes the spare holder, if it has the right kinds and users, and soon starts another one. Its mounts are a copy of
   * the host's: after a change of those, it is not usable.
   */
  async take(own: readonly NamespaceKind[], users: FileOwners): Promise<StartedHolder | undefined> {
    const taken = this.#started;
    if (taken === undefined || own.join() !== USUAL.join()) return undefined;
    const isUsable = users === this.#users;
    this.#started = undefined;
    this.#users = users;
    this.#alarm?.cancel();
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + AFTER_START_MS, () => {
      if (this.#isWanted) this.prepare();
    });
    const started = await taken.catch(() => undefined);
    if (isUsable && started?.child.pid !== undefined && seesSameMounts(started.child.pid)) return started;
    started?.child.kill('SIGKILL');
    return undefined;
  }

  /** Kills it without waiting, and starts no other. */
  kill(): void {
    this.#isWanted = false;
    this.#alarm?.cancel();
    void this.#started?.then(({ child }) => child.kill('SIGKILL')).catch(() => undefined);
  }

  /** Kills it, and resolves when it has ended. Never rejects. */
  async close(): Promise<void> {
    this.kill();
    const started = await this.#started?.catch(() => undefined);
    this.#started = undefined;
    await started?.ended;
  }
}
