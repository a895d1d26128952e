import { isTerminalPhase, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
export interface NeighboursOptions {
  readonly store: FileStore;
  /** True for a Pod of this agent. */
  readonly isOwn: (uid: string) => boolean;
  /** Called when other agents may have freed resources of the node. */
  readonly onFreed: () => void;
}

/** The Pods that other agents of the state folder run on this node: what the node has to give is counted once. */
export class Neighbours {
  readonly #options: NeighboursOptions;
  readonly #node: string;
  /** Undefined: no other agent has had a Pod here. */
  #watch: Subscription | undefined;
  #freed = 0;
  #isAlone = false;

  constructor(options: NeighboursOptions, node: string) {
    this.#options = options;
    this.#node = node;
  }

  /** The number of times that other agents may have freed resources. */
  get freed(): number {
    return this.#freed;
  }

  /** Reads the Pods that hold resources of the node, and the nominated Pods: their room is taken as well. */
  read(): { readonly placed: readonly StoredPod[]; readonly nominated: readonly StoredPod[] } {
    const { store } = this.#options;
    const all = store.podsOfOthers().filter(({ status }) => !isTerminalPhase(status.phase));
    if (all.length > 0) this.#watch ??= store.watch<StoredPod>('pods', {}, (event) => this.#heard(event));
    return {
      placed: all.filter(({ spec, status }) => spec.nodeName === this.#node && isAdmitted(status)),
      nominated: all.filter(({ spec, status }) => !spec.nodeName && status.nominatedNodeName === this.#node),
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
      return this.#options.store.atNode(this.#node, begin);
    } catch (error) {
      if (hasBegun) throw error;
      return begin();
    }
  }

  close(): void {
    this.#watch?.close();
  }

  /** A resize, which raises the generation, may free resources as well. */
  #heard({ type, object: { metadata, status } }: WatchEvent<StoredPod>): void {
    const mayHaveFreed = type === 'DELETED' || isTerminalPhase(status.phase) || (metadata.generation ?? 1) > 1;
    if (!mayHaveFreed || this.#options.isOwn(metadata.uid)) return;
    this.#freed += 1;
    this.#options.onFreed();
  }
}

/**
 * True for a Pod that the scheduler has bound, or that its agent has taken. Of two with a `nodeName` that come at once,
 * neither must reject the other.
 */
function isAdmitted(status: StoredPod['status']): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'PodScheduled' && value === 'True') === true;
}
