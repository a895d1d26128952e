import { storageOf, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { joinPhrases, type WaitedPod, type WaitPhrase } from '../../print/index.ts';
import { type FileStore, RecordWatch, type Store } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { WaitProgress } from './wait-progress.ts';
import { isOutOfReach, targetPhrase, type WaitTarget } from './wait-target.ts';

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
          const object = storageOf(target.ref.type) === 'pods' ? getObject(this.#store, target.ref) : undefined;
          const waited = object === undefined ? undefined : this.#pods.of(object as unknown as StoredPod);
          return targetPhrase(target, waited, nowMs);
        }),
    );
  }
}

/**
 * An `apply` that starts together with this `wait` may replace a Pod that has ended: wait this long for the new Pod.
 */
const PATIENCE_MS = 1000;

const LOOK_MS = 500;

interface UnreachableGoalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly refs: readonly ObjectRef[];
  /** True when a condition of the object can no longer become true. Undefined stands for a missing object. */
  readonly isUnattainable: (ref: ObjectRef, object: StoredKubeObject | undefined) => boolean;
  /** Called once, when a condition has been out of reach for a second. */
  readonly onUnreachable: () => void;
}

/**
 * Checks after every change of the objects, and every half second, whether a condition can no longer become true: a
 * check right after a deletion may still find the object, and a time limit passes without an event.
 */
function watchUnreachable(options: UnreachableGoalOptions): { close(): void } {
  const { store, clock, refs, isUnattainable, onUnreachable } = options;
  /** Monotonic milliseconds. Undefined while every condition can become true. */
  let sinceMs: number | undefined;
  let isReported = false;
  let alarm: Alarm | undefined;
  const check = (): void => {
    const nowMs = clock.now().monotonicMs;
    const isUnreachable = refs.some((ref) => isUnattainable(ref, getObject(store, ref)));
    sinceMs = isUnreachable ? (sinceMs ?? nowMs) : undefined;
    if (isReported || sinceMs === undefined || nowMs - sinceMs < PATIENCE_MS) return;
    isReported = true;
    onUnreachable();
  };
  const planCheck = (): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      planCheck();
      check();
    });
  };
  const subscriptions = refs.map(({ type, namespace, name }) => {
    return store.watch(storageOf(type), { namespace, name }, check);
  });
  check();
  planCheck();
  return {
    close: () => {
      for (const subscription of subscriptions) subscription.close();
      alarm?.cancel();
    },
  };
}

/** Follows the records of the Pods that `wait` waits for. */
export class RecordWatches {
  readonly #store: FileStore;
  readonly #watches = new Map<string, RecordWatch>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** The Pod with its present records. */
  of(pod: StoredPod): WaitedPod {
    const { uid } = pod.metadata;
    let watch = this.#watches.get(uid);
    if (watch === undefined) {
      watch = new RecordWatch(this.#store, pod);
      this.#watches.set(uid, watch);
    }
    return { pod, records: watch.records() };
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }
}
