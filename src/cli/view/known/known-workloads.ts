import {
  controllerOf,
  isWorkload,
  machineZone,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
  type Workload,
} from '../../../api/index.ts';
import type { Owned } from '../../../controllers/index.ts';
import {
  deletedBy,
  type Transition,
  withoutOldCounts,
  workloadTransitions,
  workloadWarning,
} from '../../../print/index.ts';

/** A workload in its last state. */
interface KnownWorkload {
  readonly object: Workload;
  readonly isGone: boolean;
}

/** The workloads of a run, as the view knows them. */
export class KnownWorkloads {
  readonly #workloads = new Map<string, KnownWorkload>();
  /** The last Warning about each workload, without names, by uid. */
  readonly #warnings = new Map<string, string>();

  /** The workloads with rows of their own: the ReplicaSets of a Deployment have none. */
  get shown(): readonly Workload[] {
    return [...this.#workloads.values()]
      .filter(({ object, isGone }) => !isGone && this.#isShown(object))
      .map(({ object }) => object);
  }

  /** Takes a change of an object. Answers the changes to tell of. */
  take({ type, object }: WatchEvent<Owned>, pods: readonly StoredPod[], atMs: number): Transition[] {
    if (!isWorkload(object)) return [];
    const { uid } = object.metadata;
    const isGone = type === 'DELETED';
    const previous = this.#workloads.get(uid)?.object;
    const own = this.podsOf(uid, pods);
    this.#workloads.set(uid, { object: previous === undefined ? withoutOldCounts(object, own) : object, isGone });
    if (!this.#isShown(object)) return [];
    const moment = { atMs, pods: own, timeZone: machineZone };
    return workloadTransitions(previous, isGone ? undefined : object, moment);
  }

  /** The line about a Warning of a controller, unless it repeats the last one with other names. */
  warning(event: StoredEvent, atMs: number): Transition | undefined {
    const { object, isGone = true } = this.#workloads.get(event.involvedObject.uid ?? '') ?? {};
    const line = object && !isGone && this.#isShown(object) ? workloadWarning(event, object, atMs) : undefined;
    if (object === undefined || line === undefined) return undefined;
    const text = `${line.text} ${line.why}`.replaceAll(/"[^"]*"/g, '');
    const isRepeated = this.#warnings.get(object.metadata.uid) === text;
    this.#warnings.set(object.metadata.uid, text);
    return isRepeated ? undefined : line;
  }

  /** The Pods of a workload, and of what it owns. */
  podsOf(uid: string, pods: readonly StoredPod[]): StoredPod[] {
    return pods.filter((pod) => this.#isBelow(pod, uid));
  }

  /** The cause of the deletion of a Pod, if a controller wanted it. */
  deletedBy(pod: StoredPod): string | undefined {
    return deletedBy(pod, (uid) => this.#workloads.get(uid));
  }

  #isBelow(object: Owned, uid: string): boolean {
    const controller = controllerOf(object)?.uid;
    if (controller === undefined || controller === uid) return controller === uid;
    const owner = this.#workloads.get(controller);
    return owner !== undefined && this.#isBelow(owner.object, uid);
  }

  #isShown(workload: Workload): boolean {
    return workload.kind !== 'ReplicaSet' || !this.#workloads.has(controllerOf(workload)?.uid ?? '');
  }
}
