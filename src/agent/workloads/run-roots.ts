import type { WatchEvent } from '../../api/objects.ts';
import type { Workload } from '../../api/workloads/stored-workloads.ts';
import { finishedCondition } from '../../controllers/job/job-conditions.ts';
import type { Owned } from '../../controllers/reconcile.ts';

/** A workload that was applied, in its last known state. */
export interface RunRoot {
  readonly object: Workload;
  readonly isGone: boolean;
}

/** The workloads that a run was made for. */
export class RunRoots {
  readonly #roots = new Map<string, RunRoot>();

  add(object: Workload): void {
    this.#roots.set(object.metadata.uid, { object, isGone: false });
  }

  changed({ type, object }: WatchEvent<Owned>): void {
    if (!this.#roots.has(object.metadata.uid)) return;
    this.#roots.set(object.metadata.uid, { object: object as Workload, isGone: type === 'DELETED' });
  }

  get all(): readonly RunRoot[] {
    return [...this.#roots.values()];
  }

  get areOver(): boolean {
    return this.all.every(hasEnded);
  }
}

/**
 * True when the workload has ended: a Job that is Complete or Failed, any other one when it is gone. A Job that is to
 * be removed at its end has ended when it is gone.
 */
function hasEnded({ object, isGone }: RunRoot): boolean {
  if (isGone) return true;
  if (object.kind !== 'Job' || object.spec.ttlSecondsAfterFinished === 0) return false;
  return finishedCondition(object.status ?? {}) !== undefined;
}

/** True for a Job that failed, or that was deleted before it was complete. */
export function hasFailed({ object, isGone }: RunRoot): boolean {
  if (object.kind !== 'Job') return false;
  const finished = finishedCondition(object.status ?? {});
  return finished === undefined ? isGone : finished.type === 'Failed';
}
