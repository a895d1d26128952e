import { isTerminalPhase, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { ClusterEvent } from '../../lifecycle/index.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
export interface NeighboursOptions {
  readonly store: FileStore;
  /** True for a Pod of this agent. */
  readonly isOwn: (uid: string) => boolean;
  /** Called after a change of a Pod of another agent. */
  readonly onChange: (event: ClusterEvent) => void;
}

/** The Pods that other agents of the state folder run: what a node has to give is counted once. */
export class Neighbours {
  readonly #options: NeighboursOptions;
  /** Undefined: no other agent has had a Pod here. */
  #watch: Subscription | undefined;
  /** The Pods as last seen, by uid. */
  readonly #known = new Map<string, StoredPod>();
  #isAlone = false;

  constructor(options: NeighboursOptions) {
    this.#options = options;
  }

  /** Reads the Pods that hold resources of nodes, and the nominated Pods: their room is taken as well. */
  read(): { readonly placed: readonly StoredPod[]; readonly nominated: readonly StoredPod[] } {
    const { store } = this.#options;
    const all = store.podsOfOthers().filter(({ status }) => !isTerminalPhase(status.phase));
    if (all.length > 0) this.#watch ??= store.watch<StoredPod>('pods', {}, (event) => this.#heard(event));
    for (const pod of all) this.#known.set(pod.metadata.uid, pod);
    return {
      placed: all.filter(({ spec, status }) => spec.nodeName && isAdmitted(status)),
      nominated: all.filter(({ spec, status }) => !spec.nodeName && status.nominatedNodeName !== undefined),
    };
  }

  /**
   * Runs a step of the scheduler while no other agent runs one. Where the lock cannot be had, since the disk is full or
   * its holder was stopped, the step runs without: a Pod must not fail for that.
   */
  alone<T>(step: () => T): T {
    if (this.#isAlone) return step();
    let hasBegun = false;
    const begin = (): T => {
      hasBegun = true;
      this.#isAlone = true;
      try {
        return step();
      } finally {
        this.#isAlone = false;
      }
    };
    try {
      return this.#options.store.whileScheduling(begin);
    } catch (error) {
      if (hasBegun) throw error;
      return begin();
    }
  }

  close(): void {
    this.#watch?.close();
  }

  #heard({ type, object }: WatchEvent<StoredPod>): void {
    const { uid } = object.metadata;
    if (this.#options.isOwn(uid)) return;
    const before = this.#known.get(uid);
    const isGone = type === 'DELETED' || isTerminalPhase(object.status.phase);
    if (isGone) this.#known.delete(uid);
    else this.#known.set(uid, object);
    this.#options.onChange({
      kind: 'Pod',
      before: before ?? (isGone ? object : undefined),
      after: isGone ? undefined : object,
    });
  }
}

/**
 * True for a Pod that the scheduler has bound, or that its agent has taken. Of two with a `nodeName` that come at once,
 * neither must reject the other.
 */
function isAdmitted(status: StoredPod['status']): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'PodScheduled' && value === 'True') === true;
}
