import { hasController, isTerminalPhase } from '../api/index.ts';
import { garbageIn, isPod, type ObjectCache } from '../apiserver/index.ts';
import type { Clock } from '../clock.ts';
import { type ControllerAction, type Owned, PODS_PER_SYNC } from '../controllers/index.ts';
import type { ObjectReader } from '../store/index.ts';
import type { ActionRunner } from './carry-out.ts';

interface NamespaceGarbageOptions {
  readonly store: ObjectReader;
  readonly clock: Clock;
  readonly cache: ObjectCache;
  readonly runner: ActionRunner;
  /** True for an object that this agent looks after, or that such an object owns. */
  readonly isOwn: (object: Owned) => boolean;
  /** Plans a turn, which collects what is due. */
  readonly plan: () => void;
}

/** The wait before another look at an object that another process has just changed. */
export const STALE_MS = 20;

/** Collects the garbage of namespaces, but no Pod and no workload that another agent looks after. */
export class NamespaceGarbage {
  readonly #options: NamespaceGarbageOptions;
  /** The namespaces to look through. */
  readonly #due = new Set<string>();
  /** The rest of the actions that did not fit into one turn, by namespace. */
  readonly #unfinished = new Map<string, readonly ControllerAction[]>();

  constructor(options: NamespaceGarbageOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#due.size === 0;
  }

  /** Looks through a namespace in the next turn. */
  add(namespace: string): void {
    this.#due.add(namespace);
    this.#options.plan();
  }

  /** Empties the list of what is due. */
  takeAll(): string[] {
    const due = [...this.#due];
    this.#due.clear();
    return due;
  }

  /** Collects what one turn has time for. The rest, and garbage of this garbage, is due in the next turn. */
  collect(namespace: string): void {
    const { clock, runner, plan } = this.#options;
    const actions = this.#unfinished.get(namespace) ?? this.#actions(namespace);
    this.#unfinished.delete(namespace);
    if (actions.length === 0) return;
    const outcome = runner.carryOut(actions);
    const isUnfinished = typeof outcome === 'object' && outcome.type === 'unfinished';
    if (isUnfinished) this.#unfinished.set(namespace, outcome.rest);
    // The run is not over before.
    this.#due.add(namespace);
    clock.wakeAt(clock.now().monotonicMs + (isUnfinished || outcome === 'done' ? 0 : STALE_MS), plan);
  }

  #actions(namespace: string): readonly ControllerAction[] {
    const { store, cache, isOwn } = this.#options;
    const isMine = (uid: string): boolean => {
      const object = cache.get(uid);
      if (object === undefined) return false;
      const isLookedAfter = isPod(object) ? !isTerminalPhase(object.status.phase) : hasController(object);
      return !isLookedAfter || isOwn(object);
    };
    const actions = garbageIn(cache.allOf(namespace), store).filter(
      (action) => action.type !== 'event' && action.type !== 'create' && isMine(action.on.uid),
    );
    return actions.slice(0, PODS_PER_SYNC);
  }
}
