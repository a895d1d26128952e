import type { StoredPod } from '../../../src/api/base/objects.ts';
import { isTerminalPhase } from '../../../src/api/base/objects.ts';
import { parseTime } from '../../../src/api/base/time.ts';
import type { ObjectEntry, WorkloadEntry } from './workload-entry.ts';
import type { WorkloadScenario } from './workload-scenario.ts';
import type { AnyObject } from './workload-simulation.ts';

/** The past of a workload, and the objects that there are now. */
export class WorkloadPast {
  readonly entries: WorkloadEntry[] = [];
  readonly scenario: WorkloadScenario;
  /** By uid. */
  readonly objects: Map<string, AnyObject> = new Map();
  /** All Pods that there ever were, in their last states. */
  readonly allPods: Map<string, StoredPod> = new Map();
  /** The applied object in its last state, also after it was removed. */
  lastRoot: AnyObject | undefined;
  /**
   * The states of the applied object that its controller may still act on: all since it last observed the newest one
   * and came to rest.
   */
  roots: AnyObject[] = [];
  /** The objects that the applied one owned when it was deleted. */
  orphans: readonly AnyObject[] = [];
  /** True when, since the last rest, a Pod stopped being ready for another reason than a controller. */
  hasLostPods = false;
  /** True when nothing but its controllers has taken a Pod away between the last two rests, perhaps for a change. */
  wasUndisturbed = false;
  /** True when a Pod was ready at the rest before the last one. */
  wasReady = false;
  #isReady = false;
  #isDisturbed = false;
  wallMs = 0;

  constructor(scenario: WorkloadScenario) {
    this.scenario = scenario;
  }

  record(entry: WorkloadEntry): void {
    this.entries.push(entry);
    this.wallMs = entry.wallMs;
    if (entry.type === 'object') this.#write(entry);
    else if (entry.type === 'happening') this.#happen(entry.happening.does);
    else if (entry.type === 'settled') this.#settle();
  }

  /** The applied object. Undefined: it is gone. */
  get root(): AnyObject | undefined {
    return this.lastRoot && this.objects.get(this.lastRoot.metadata.uid);
  }

  /** True while the applied object is there, and nobody has deleted it. */
  get isKept(): boolean {
    return this.root !== undefined && this.root.metadata.deletionTimestamp === undefined;
  }

  /** The objects of a kind. */
  all(kind: string): AnyObject[] {
    return [...this.objects.values()].filter((object) => object.kind === kind);
  }

  pods(): StoredPod[] {
    return this.all('Pod') as unknown as StoredPod[];
  }

  podsOf(uid: string): StoredPod[] {
    return this.pods().filter((pod) => ownerOf(pod) === uid);
  }

  #write({ change, object, before, isByClient }: ObjectEntry): void {
    const { uid } = object.metadata;
    this.lastRoot ??= object;
    if (change === 'DELETED') this.objects.delete(uid);
    else this.objects.set(uid, object);
    if (uid === this.lastRoot.metadata.uid) {
      this.lastRoot = object;
      this.roots.push(object);
    }
    if (object.kind !== 'Pod') return;
    const pod = object as unknown as StoredPod;
    this.allPods.set(uid, pod);
    const wasReady = before !== undefined && isReady(before as unknown as StoredPod);
    const isOwnDoing = !isByClient && pod.metadata.deletionTimestamp !== undefined;
    const isLost = wasReady && !isReady(pod) && !isOwnDoing;
    this.hasLostPods ||= isLost;
    this.#isDisturbed ||= isLost;
  }

  #happen(does: (WorkloadEntry & { readonly type: 'happening' })['happening']['does']): void {
    this.hasLostPods = true;
    this.#isDisturbed ||= does !== 'change' && does !== 'rest';
    if (does !== 'deletion') return;
    const isOwned = (object: AnyObject): boolean => ownerOf(object) === this.lastRoot?.metadata.uid;
    this.orphans = [...this.objects.values()].filter(
      (object) => isOwned(object) && object.metadata.deletionTimestamp === undefined,
    );
  }

  #settle(): void {
    this.wasUndisturbed = !this.#isDisturbed;
    this.#isDisturbed = false;
    this.hasLostPods = false;
    this.wasReady = this.#isReady;
    this.#isReady = this.pods().some((pod) => isActive(pod) && isReady(pod));
    const { root } = this;
    if (root === undefined || root.status?.['observedGeneration'] !== root.metadata.generation) return;
    this.roots = [root];
  }
}

/** The uid of its controller. */
export function ownerOf({ metadata }: Pick<StoredPod, 'metadata'>): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export function isActive({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp === undefined && !isTerminalPhase(status.phase);
}

export function isReady({ status }: StoredPod): boolean {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** True for a Pod that has been ready for the time that its controller asks for. */
export function isAvailable({ status }: StoredPod, minReadySeconds: number, wallMs: number): boolean {
  const ready = status.conditions?.find(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (ready === undefined) return false;
  return minReadySeconds === 0 || parseTime(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 <= wallMs;
}

/** True when the agent, and no client, deletes a Pod that was not being deleted. */
export function isDeletionByAgent(entry: WorkloadEntry): entry is WorkloadEntry & ObjectEntry {
  if (entry.type !== 'object' || entry.object.kind !== 'Pod' || entry.isByClient) return false;
  const { before, object, change } = entry;
  if (before === undefined || before.metadata.deletionTimestamp !== undefined) return false;
  return change === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
}

/** True when a new object of a kind is written. */
export function isCreation(entry: WorkloadEntry, kind: string): entry is WorkloadEntry & ObjectEntry {
  return entry.type === 'object' && entry.change === 'ADDED' && entry.object.kind === kind;
}

/** The value of the variable that tells templates apart. */
export function versionOf({ spec }: { readonly spec?: unknown }): string | undefined {
  const { containers = [] } = spec as { containers?: Array<{ env?: Array<{ value?: string }> }> };
  return containers[0]?.env?.[0]?.value;
}
