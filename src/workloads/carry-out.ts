import {
  hasCode,
  type KubeObject,
  PodrunError,
  resourceTypeOf,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import { type Clock, machineClock, SLICE_MS } from '../clock.ts';
import type { ActionFailure, ControllerAction, DeleteAction, NewObject, UpdateAction } from '../controllers/index.ts';
import { applyDefaults, prepareForCreate } from '../manifest/index.ts';
import type { Store } from '../store/index.ts';
import { createObject, deleteRecord, EventRecorder, type ObjectCache, writePatch } from '../apiserver/index.ts';

/** The part of the agent that controllers need. */
export interface PodClient {
  /**
   * Creates a Pod and runs it.
   * @throws {PodrunError} when a Pod of that name is on record
   */
  readonly startPod: (pod: KubeObject) => StoredPod;
  /**
   * Deletes a Pod with its own grace period. The mark of its deletion is written at once.
   * @throws {PodrunError} (Conflict) when another client has changed it meanwhile
   */
  readonly deletePod: (pod: StoredPod, propagation: DeleteAction['propagation']) => void;
}

export interface ActionRunnerOptions extends PodClient {
  readonly store: Store;
  readonly clock: Clock;
  readonly cache: ObjectCache;
  readonly newUid: () => string;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/**
 * The result of a stage. stale: an object has changed since the controller saw it. Then, and after a failure, the rest
 * of the stage was not done, and the controller has to look again. unfinished: the rest comes after other work. To look
 * at all Pods again for each part would take longer than the part.
 */
export type StageOutcome = 'done' | 'stale' | UnfinishedStage | ActionFailure;

interface UnfinishedStage {
  readonly type: 'unfinished';
  readonly rest: readonly ControllerAction[];
}

/** Carries out the actions of controllers: their writes as the API server does them, their events. */
export class ActionRunner {
  readonly #options: ActionRunnerOptions;
  /** By the uid of the object that the events are about. */
  readonly #recorders = new Map<string, EventRecorder>();
  /** The keys of recorders that may have counts to write. */
  readonly #counting = new Set<string>();

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
  }

  /**
   * Carries out actions in order, up to the first one that fails, or as many as fit into a turn of the event loop.
   * @throws {PodrunError} when the store cannot be written to
   */
  carryOut(actions: readonly ControllerAction[]): StageOutcome {
    try {
      return this.#carryOut(actions);
    } finally {
      this.#writeCounts();
    }
  }

  #carryOut(actions: readonly ControllerAction[]): StageOutcome {
    const clock = machineClock(this.#options.clock);
    const untilMs = clock.now().monotonicMs + SLICE_MS;
    for (const [index, action] of actions.entries()) {
      // The events behind an action belong to it.
      const canWait = index > 0 && action.type !== 'event';
      if (canWait && clock.now().monotonicMs >= untilMs) return { type: 'unfinished', rest: actions.slice(index) };
      try {
        this.#act(action);
      } catch (error) {
        if (!(error instanceof PodrunError) || hasCode(error, 'Disk')) throw error;
        if (action.type === 'event') {
          // The Event may be gone: the next one begins anew.
          this.#recorders.delete(action.on.uid);
          continue;
        }
        const outcome = outcomeOf(action, error);
        if (outcome !== 'done') return outcome;
      }
    }
    return 'done';
  }

  /** Forgets an object that is gone. */
  forget(uid: string): void {
    this.#recorders.delete(uid);
  }

  #act(action: ControllerAction): void {
    switch (action.type) {
      case 'create':
        return this.#create(action.object);
      case 'update':
        return this.#update(action);
      case 'delete':
        return this.#delete(action);
      case 'event':
        return this.#record(action);
      default:
        return action satisfies never;
    }
  }

  #create(object: NewObject): void {
    const { store, newUid, startPod } = this.#options;
    const prepared = prepareForCreate(applyDefaults(object));
    createObject(store, prepared, { startPod, newUid });
  }

  #update({ on, patch, status }: UpdateAction): void {
    const { store } = this.#options;
    const { plural } = resourceTypeOf(on);
    if (patch !== undefined) writePatch(store, on, patch, { isFresh: (stored) => this.#isFresh(stored) });
    if (status !== undefined) {
      store.change<StoredKubeObject>(plural, on, 'status', (stored) => {
        return { ...stored, metadata: { ...stored.metadata, uid: on.uid }, status };
      });
    }
  }

  /** A patch replaces whole lists: it must have been made for the object as it is stored. */
  #isFresh({ metadata: { uid, resourceVersion } }: StoredKubeObject): boolean {
    return this.#options.cache.get(uid)?.metadata.resourceVersion === resourceVersion;
  }

  #delete({ on, propagation }: DeleteAction): void {
    const { store, clock, cache, deletePod } = this.#options;
    const { apiVersion, kind, namespace, name, uid } = on;
    if (kind !== 'Pod') {
      deleteRecord(store, clock, { apiVersion, kind, metadata: { namespace, name, uid } }, propagation);
      return;
    }
    const pod = cache.get(uid);
    if (pod !== undefined) deletePod(pod as StoredPod, propagation);
  }

  #record({ on, component, event }: Extract<ControllerAction, { type: 'event' }>): void {
    const about = this.#options.cache.get(on.uid);
    if (about === undefined) return;
    const recorder = this.#recorders.get(on.uid) ?? new EventRecorder({ ...this.#options, controller: component });
    this.#recorders.set(on.uid, recorder);
    recorder.delayCounts();
    this.#counting.add(on.uid);
    recorder.record(about, [event]);
  }

  /** Writes each Event that has repeated once for all actions of a call. */
  #writeCounts(): void {
    const uids = [...this.#counting];
    this.#counting.clear();
    for (const uid of uids) {
      try {
        this.#recorders.get(uid)?.writeCounts();
      } catch (error) {
        if (!(error instanceof PodrunError) || hasCode(error, 'Disk')) throw error;
        // The Event may be gone: the next one begins anew.
        this.#recorders.delete(uid);
      }
    }
  }
}

function outcomeOf(action: Exclude<ControllerAction, { type: 'event' }>, error: PodrunError): StageOutcome {
  if (error.code === 'Conflict') return 'stale';
  // Another client has deleted it.
  if (error.code === 'NotFound') return action.type === 'delete' ? 'done' : 'stale';
  if (action.type === 'update') throw error;
  const name = action.type === 'create' ? action.object.metadata.name : action.on.name;
  // Events repeat what the server said, not who said it.
  const message = error.message.replace(/^Error from server \(\w+\): /, '');
  return { type: action.type, name, error: message, alreadyExists: error.code === 'AlreadyExists' };
}
