import { controllerOf, everyResourceType, isWorkload, type StoredPod } from '../../api/index.ts';
import { authorsOfDeletions, ObjectCache, TakenAddresses } from '../../apiserver/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { READY_OR_SUCCEEDED } from '../../controllers/index.ts';
import { podRoot, type Root } from '../../lifecycle/index.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
import { type CommandFaults, CommandWatch } from './command-watch.ts';

/** The faults of a state folder. */
export interface JudgedFaults extends CommandFaults {
  /** All of its roots. */
  readonly roots: readonly Root[];
}

/**
 * Judges all Pods and workloads of a state folder while a COMMAND runs. Each has to stay Ready from the moment
 * when it first is: no wait comes before.
 * @returns what has failed. Called once, when COMMAND has ended, before the Pods are ended
 */
export function judgeAll(store: FileStore): () => JudgedFaults {
  const { clock } = store;
  let isLookDue = false;
  let count = 0;
  const look = (): void => {
    isLookDue = false;
    watch.look();
  };
  const roots = new StandingRoots(store, () => {
    if (isLookDue) return;
    isLookDue = true;
    if (count < MANY) nextEventLoopTurn(look);
    else clock.wakeAt(clock.now().monotonicMs + LOOK_AFTER_MS, look);
  });
  const taken = new TakenAddresses(store, 'later', () => undefined);
  const watch = new CommandWatch({
    goal: READY_OR_SUCCEEDED,
    rules: { allowRestarts: false },
    roots: () => {
      const all = roots.roots;
      count = all.length;
      return all;
    },
    unservable: () => taken.objects,
    authors: () => authorsOfDeletions(store),
  });
  return () => {
    const faults = { ...watch.end(), roots: roots.roots };
    roots.close();
    taken.close();
    return faults;
  };
}

/** From this number of roots on, a look at all of them covers the changes of a moment, not of a turn. */
const MANY = 500;
const LOOK_AFTER_MS = 100;

/** The roots of a whole state folder: its Pods and workloads, but for what a controller of podrun has made. */
class StandingRoots {
  readonly #cache: ObjectCache;
  readonly #subscriptions: readonly Subscription[];
  readonly #namespaces = new Set<string>();

  /** @param onChange called after each change of a Pod or a workload */
  constructor(store: FileStore, onChange: () => void) {
    this.#cache = new ObjectCache(store, onChange);
    const types = everyResourceType().filter(({ kind }) => kind === 'Pod' || isWorkload({ kind }));
    this.#subscriptions = types.map(({ plural }) => {
      return store.watch(plural, {}, ({ object }) => this.#follow(object.metadata.namespace ?? ''), { replay: true });
    });
  }

  get roots(): readonly Root[] {
    return [...this.#namespaces].flatMap((namespace) =>
      this.#cache.allOf(namespace).flatMap((object): Root[] => {
        const controller = controllerOf(object);
        if (controller !== undefined && isWorkload(controller)) return [];
        if (object.kind === 'Pod') return [podRoot(object as StoredPod)];
        if (!isWorkload(object)) return [];
        return [{ object, isGone: false, pods: this.#cache.podsBelow(object.metadata.uid) }];
      }),
    );
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#cache.close();
  }

  #follow(namespace: string): void {
    this.#namespaces.add(namespace);
    this.#cache.follow(namespace);
  }
}
