import type { Controlled } from '../api/index.ts';
import { isPod, type ObjectCache } from '../apiserver/index.ts';
import type { Clock } from '../clock.ts';
import { type ActionFailure, type ControllerAction, type Owned, reconcileWorkload } from '../controllers/index.ts';
import type { ActionRunner } from './carry-out.ts';
import { inputOf, type LoopEnvironment, RemovedPods } from './controller-input.ts';
import { STALE_MS } from './namespace-garbage.ts';
import type { WorkQueue } from './work-queue.ts';

interface ControllerStagesOptions {
  readonly environment: LoopEnvironment;
  readonly clock: Clock;
  readonly cache: ObjectCache;
  readonly queue: WorkQueue;
  readonly runner: ActionRunner;
  /** True for the uid of a workload that this agent still owns. */
  readonly isOwn: (uid: string) => boolean;
  /** Has the controller of a workload called in the next turn. */
  readonly enqueue: (uid: string) => void;
}

/** The work of controllers, in stages: one plan each, of which a turn may carry out a part. */
export class ControllerStages {
  readonly #options: ControllerStagesOptions;
  readonly #removedPods = new RemovedPods();
  /** Failures to tell of, by the uid of the workload. */
  readonly #untold = new Map<string, ActionFailure>();
  /** The rest of stages that did not fit into one turn, by the uid of the workload. */
  readonly #unfinished = new Map<string, readonly ControllerAction[]>();

  constructor(options: ControllerStagesOptions) {
    this.#options = options;
  }

  /** One stage of a controller's work, or the next part of it. */
  take(workload: Controlled): void {
    const { queue, runner, isOwn, enqueue } = this.#options;
    const { uid } = workload.metadata;
    const failure = this.#untold.get(uid);
    this.#untold.delete(uid);
    const actions = this.#unfinished.get(uid) ?? this.#plan(workload, failure);
    this.#unfinished.delete(uid);
    queue.wrote(actions.filter(({ type }) => type !== 'event').length);
    const outcome = runner.carryOut(actions);
    // Its own stage may have removed it.
    if (!isOwn(uid)) return;
    if (failure !== undefined) queue.addAfterFailure(uid);
    else if (outcome === 'stale') queue.addAfter(uid, STALE_MS);
    else if (outcome === 'done') {
      if (actions.some(({ type }) => type !== 'event')) enqueue(uid);
      else queue.succeeded(uid);
    } else {
      if (outcome.type === 'unfinished') this.#unfinished.set(uid, outcome.rest);
      else this.#untold.set(uid, outcome);
      enqueue(uid);
    }
  }

  /** Forgets a removed workload. Its controller learns of a removed Pod. */
  forget(object: Owned): void {
    const { uid } = object.metadata;
    if (isPod(object)) this.#removedPods.add(object, this.#options.clock.now().wallMs);
    this.#untold.delete(uid);
    this.#unfinished.delete(uid);
    this.#removedPods.forget(uid);
  }

  /** The next actions of a controller. */
  #plan(workload: Controlled, failure: ActionFailure | undefined): readonly ControllerAction[] {
    const { environment, clock, cache, queue } = this.#options;
    const { uid } = workload.metadata;
    const { wallMs } = clock.now();
    const moment = { wallMs, removedPods: this.#removedPods.of(uid), failure };
    const { actions, lookAgainAtMs } = reconcileWorkload(workload, inputOf(workload, cache, environment, moment));
    queue.addAfter(uid, lookAgainAtMs === undefined ? undefined : lookAgainAtMs - wallMs);
    return actions;
  }
}
