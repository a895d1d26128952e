import type { WatchEvent, Workload } from '../api/index.ts';
import type { Owned } from '../controllers/index.ts';
import { type Root, rootEnd } from '../lifecycle/index.ts';

/** A workload that was applied, in its last known state. */
export interface RunRoot extends Pick<Root, 'isGone'> {
  readonly object: Workload;
}

/** The workloads that a run was made for. */
export class RunRoots {
  readonly #roots = new Map<string, RunRoot>();
  readonly #forgetsRemoved: boolean;

  /** @param forgetsRemoved true: the ends of removed Pods are not needed */
  constructor(forgetsRemoved = false) {
    this.#forgetsRemoved = forgetsRemoved;
  }

  add(object: Workload): void {
    this.#roots.set(object.metadata.uid, { object, isGone: false });
  }

  changed({ type, object }: WatchEvent<Owned>): void {
    if (!this.#roots.has(object.metadata.uid)) return;
    if (type === 'DELETED' && this.#forgetsRemoved) this.#roots.delete(object.metadata.uid);
    else this.#roots.set(object.metadata.uid, { object: object as Workload, isGone: type === 'DELETED' });
  }

  get all(): readonly RunRoot[] {
    return [...this.#roots.values()];
  }

  get areOver(): boolean {
    return this.all.every(hasEnded);
  }
}

/** A Job that is to be removed at its end has ended when it is gone. */
function hasEnded(root: RunRoot): boolean {
  const { object, isGone } = root;
  if (object.kind === 'Job' && object.spec.ttlSecondsAfterFinished === 0) return isGone;
  return rootEnd(root) !== 'running';
}
