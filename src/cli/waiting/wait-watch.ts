import type { StoredPod } from '../../api/index.ts';
import { joinPhrases, type WaitPhrase } from '../../print/index.ts';
import { getObject } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { watchUnreachable } from './unreachable-goal-watch.ts';
import { isOutOfReach, type WaitTarget, targetPhrase } from './wait-target.ts';
import { RecordWatches } from './record-watches.ts';
import type { Cli } from '../base/cli.ts';
import { WaitProgress } from './wait-progress.ts';

/**
 * The time before the first line in a log of CI. Elsewhere standard error has only kubectl's text, for scripts that
 * compare it.
 */
const QUIET_MS = 10_000;

function quietTime({ isVerbose, env }: Cli): number | undefined {
  if (isVerbose) return 0;
  return env['CI'] === undefined ? undefined : QUIET_MS;
}

/** Shows that podrun waits for an object that does not exist yet. */
export function showCreationWait(cli: Cli, what: string): WaitProgress {
  const text = `waiting for ${what} to be created`;
  return new WaitProgress({ cli, quietMs: quietTime(cli), phrase: () => ({ text, key: text }) });
}

/** Runs beside a `wait`: shows what it waits for, and notices when a condition can no longer become true. */
export class WaitWatch {
  readonly #store: FileStore;
  readonly #cli: Cli;
  readonly #open: Set<WaitTarget>;
  readonly #pods: RecordWatches;
  readonly #progress: WaitProgress;
  readonly #unreachable: { close(): void };

  constructor(cli: Cli, store: FileStore, targets: readonly WaitTarget[], onUnreachable: () => void) {
    this.#store = store;
    this.#cli = cli;
    // A missing object is an error at once: nothing waits for it.
    this.#open = new Set(targets.filter(({ object }) => object !== undefined));
    this.#pods = new RecordWatches(store);
    this.#progress = new WaitProgress({ cli, quietMs: quietTime(cli), phrase: () => this.#phrase() });
    this.#unreachable = watchUnreachable({
      store,
      clock: cli.clock,
      refs: [...new Set([...this.#open].map(({ ref }) => ref))],
      isUnattainable: (ref, object) =>
        [...this.#open].some((target) => target.ref === ref && isOutOfReach(target, object)),
      onUnreachable,
    });
  }

  /** Notes that the result of a target is about to be printed. */
  settled(target: WaitTarget): void {
    this.#open.delete(target);
  }

  /** Stops the watch. May be called twice. */
  close(): void {
    this.#unreachable.close();
    this.#progress.close();
    this.#pods.close();
  }

  #phrase(): WaitPhrase | undefined {
    const nowMs = this.#cli.clock.now().wallMs;
    return joinPhrases(
      [...this.#open]
        .filter(({ condition }) => condition.type !== 'create')
        .map((target) => {
          const object = target.ref.type.plural === 'pods' ? getObject(this.#store, target.ref) : undefined;
          const waited = object === undefined ? undefined : this.#pods.of(object as unknown as StoredPod);
          return targetPhrase(target, waited, nowMs);
        }),
    );
  }
}
