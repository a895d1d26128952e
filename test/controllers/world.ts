import type { JobSpec } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/base/json.ts';
import { isSameJson } from '../../src/api/base/json.ts';
import { isTerminalPhase, type StoredPod } from '../../src/api/base/objects.ts';
import { applyMergePatch } from '../../src/api/patch/merge-patch.ts';
import { withNullLists } from '../../src/api/workloads/endpoint-slices.ts';
import { formatTime } from '../../src/api/base/time.ts';
import { hasController } from '../../src/api/workloads/stored-workloads.ts';
import { reconcileWorkload, type WorkloadInput } from '../../src/controllers/controllers.ts';
import {
  finalizersAfterDelete,
  garbageActions,
  type PropagationPolicy,
} from '../../src/controllers/garbage/collect.ts';
import { releaseOrphanedPods } from '../../src/controllers/job/reconcile-job.ts';
import { nthSuffix } from './manifests.ts';
import type { NodeFacts } from '../../src/lifecycle/base/node-facts.ts';
import type {
  ControllerAction,
  ControllerEvent,
  NewObject,
  Reconciliation,
  StoredJob,
} from '../../src/controllers/base/reconcile.ts';

/** Any object of the world. */
export interface WorldObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredPod['metadata'];
  readonly [field: string]: unknown;
}

export interface Write {
  readonly atMs: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: WorldObject;
}

export interface TellingEvent extends ControllerEvent {
  readonly atMs: number;
  readonly on: string;
  readonly name: string;
  readonly component: string;
}

/** The only node at first. */
const NODE: NodeFacts = { name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] };

const MAX_STAGES = 20_000;

/** The statuses that the API server gives to new objects. */
const FIRST_STATUS: Readonly<Record<string, JsonObject>> = {
  Pod: { phase: 'Pending' },
  ReplicaSet: { replicas: 0 },
  ReplicationController: { replicas: 0 },
  StatefulSet: { replicas: 0, availableReplicas: 0 },
  DaemonSet: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
};

/** A store in memory with the loop that runs the controllers, and a clock that somebody else moves. */
export class World {
  readonly writes: Write[] = [];
  readonly events: TellingEvent[] = [];
  nowMs: number;
  /** Asked before each creation: an error refuses it. */
  refuses: (object: NewObject) => string | undefined = () => undefined;
  readonly #objects = new Map<string, WorldObject>();
  readonly #lookAgain = new Map<string, number>();
  readonly #removedPods: StoredPod[] = [];
  /** The number of writes when the controller of an object was last called, and objects whose time has come. */
  readonly #looked = new Map<string, number>();
  readonly #called = new Set<string>();
  #count = 0;
  #nodes: WorkloadInput['nodes'] = [NODE];

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  list(kind?: string): WorldObject[] {
    return [...this.#objects.values()].filter((object) => kind === undefined || object.kind === kind);
  }

  pods(): StoredPod[] {
    return this.list('Pod') as unknown as StoredPod[];
  }

  get(uid: string): WorldObject | undefined {
    return this.#objects.get(uid);
  }

  find(kind: string, name: string): WorldObject {
    const object = this.list(kind).find(({ metadata }) => metadata.name === name);
    if (object === undefined) throw new Error(`no ${kind} ${name}`);
    return object;
  }

  create(object: NewObject, uid?: string): WorldObject {
    this.#count += 1;
    const system = {
      uid: uid ?? `uid-${this.#count}`,
      resourceVersion: String(this.#count),
      generation: 1,
      creationTimestamp: formatTime(this.nowMs),
    };
    const copy = JSON.parse(JSON.stringify(object)) as NewObject;
    const created: WorldObject = {
      status: FIRST_STATUS[object.kind] ?? {},
      ...(object.kind === 'Job' ? withSelector(copy, system.uid) : copy),
      metadata: { ...object.metadata, ...system },
    };
    this.#write('ADDED', created);
    return created;
  }

  /** Changes metadata and spec by a merge patch, and replaces the status if one is given. */
  update(uid: string, patch: JsonObject = {}, status?: JsonObject): void {
    const old = this.#objects.get(uid);
    if (old === undefined) return;
    const changed = withNullLists(applyMergePatch(old, patch) as unknown as WorldObject);
    const hasNewSpec = !isSameJson(old['spec'], changed['spec']);
    const generation = (old.metadata.generation ?? 0) + Number(hasNewSpec);
    const object = { ...changed, metadata: { ...changed.metadata, generation }, status: status ?? old['status'] };
    if (isDone(object)) this.#remove(old);
    else this.#write('MODIFIED', object);
  }

  /** Replaces the nodes: their names, with taints where they have any. DaemonSets look again. */
  setNodes(nodes: Readonly<Record<string, NodeFacts['taints']>>): void {
    const [first = NODE, ...rest] = Object.entries(nodes).map(([name, taints]) => ({ ...NODE, name, taints }));
    this.#nodes = [first, ...rest];
    for (const { metadata } of this.list('DaemonSet')) this.#called.add(metadata.uid);
  }

  setStatus(uid: string, status: JsonObject): void {
    this.update(uid, {}, status);
  }

  delete(uid: string, policy: PropagationPolicy): void {
    const object = this.#objects.get(uid);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const finalizers = finalizersAfterDelete(object, policy);
    const pod = object as unknown as StoredPod;
    const isLiving = object.kind === 'Pod' && !isTerminalPhase(pod.status.phase);
    const grace = isLiving ? (pod.spec.terminationGracePeriodSeconds ?? 30) : 0;
    const deleted: WorldObject = {
      ...object,
      metadata: {
        ...object.metadata,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        generation: (object.metadata.generation ?? 0) + 1,
        deletionTimestamp: formatTime(this.nowMs + grace * 1000),
        deletionGracePeriodSeconds: grace,
      },
    };
    if (isLiving || finalizers.length > 0) this.#write('MODIFIED', deleted);
    else this.#remove(object);
  }

  /** The node has ended a Pod that is being deleted. */
  endDeletion(uid: string): void {
    const object = this.#objects.get(uid);
    if (object !== undefined) this.update(uid, { metadata: { deletionGracePeriodSeconds: 0 } });
  }

  /** Runs the controllers until none has anything to do. */
  settle(): void {
    for (let stages = 0; stages < MAX_STAGES; stages += 1) if (!this.#stage()) return;
    throw new Error('the controllers never come to rest');
  }

  /** Moves the clock, and stops for each look that a controller has asked for. */
  advance(toMs: number): void {
    for (;;) {
      const next = this.nextLookMs();
      if (next === undefined || next > toMs) break;
      this.nowMs = Math.max(this.nowMs, next);
      for (const [uid, time] of this.#lookAgain) {
        if (time > this.nowMs) continue;
        this.#lookAgain.delete(uid);
        this.#called.add(uid);
      }
      this.settle();
    }
    this.nowMs = Math.max(this.nowMs, toMs);
    this.settle();
  }

  nextLookMs(): number | undefined {
    const times = [...this.#lookAgain.values()];
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #stage(): boolean {
    let hasActed = false;
    for (const { metadata } of this.list()) {
      const object = this.#objects.get(metadata.uid);
      if (object === undefined || !hasController(object) || !this.#isDue(object)) continue;
      this.#looked.set(metadata.uid, this.writes.length);
      const { actions, lookAgainAtMs } = reconcileWorkload(object, this.#around());
      if (lookAgainAtMs === undefined) this.#lookAgain.delete(metadata.uid);
      else this.#lookAgain.set(metadata.uid, lookAgainAtMs);
      const failure = this.#carryOut(actions);
      const again = this.#objects.get(metadata.uid);
      if (failure !== undefined && again !== undefined && hasController(again)) {
        this.#carryOut(reconcileWorkload(again, { ...this.#around(), failure }).actions);
        this.#lookAgain.set(metadata.uid, this.nowMs + 1000);
      } else if (actions.some(({ type }) => type !== 'event')) {
        hasActed = true;
        this.#called.add(metadata.uid);
      }
    }
    const garbage = [
      ...releaseOrphanedPods(this.pods(), this.list('Job') as unknown as StoredJob[]),
      ...garbageActions(this.list()),
    ];
    this.#carryOut(garbage);
    return hasActed || garbage.length > 0;
  }

  /** True when the object, or one that it may own, has changed since its controller was last called. */
  #isDue(object: WorldObject): boolean {
    const { uid } = object.metadata;
    const since = this.#looked.get(uid) ?? 0;
    return this.#called.delete(uid) || this.writes.slice(since).some((write) => concerns(object, write.object));
  }

  #around(): WorkloadInput {
    const ofKind = <T>(kind: string): T[] => this.list(kind) as unknown as T[];
    return {
      now: { wallMs: this.nowMs },
      suffix: () => this.#suffix(),
      removedPods: this.#removedPods,
      pods: this.pods(),
      replicaSets: ofKind('ReplicaSet'),
      jobs: ofKind('Job'),
      revisions: ofKind('ControllerRevision'),
      slices: ofKind('EndpointSlice'),
      endpoints: ofKind('Endpoints'),
      claims: ofKind('PersistentVolumeClaim'),
      nodes: this.#nodes,
      timeZone: () => 'UTC',
    };
  }

  #suffix(): string {
    this.#count += 1;
    return nthSuffix(this.#count);
  }

  #carryOut(actions: Reconciliation['actions']): WorkloadInput['failure'] {
    for (const action of actions) {
      const error = this.#act(action);
      if (error !== undefined && action.type === 'create') {
        const { object } = action;
        return { type: 'create', name: object.metadata.name, error, alreadyExists: this.#isTaken(object) };
      }
    }
    return undefined;
  }

  #act(action: ControllerAction): string | undefined {
    if (action.type === 'event') {
      const { on, component, event } = action;
      this.events.push({ atMs: this.nowMs, on: on.kind, name: on.name, component, ...event });
    } else if (action.type === 'create') {
      const refusal = this.refuses(action.object);
      if (refusal !== undefined) return refusal;
      if (this.#isTaken(action.object)) return `${action.object.kind} "${action.object.metadata.name}" already exists`;
      this.create(action.object);
    } else if (action.type === 'update') this.update(action.on.uid, action.patch, action.status);
    else this.delete(action.on.uid, action.propagation);
    return undefined;
  }

  #isTaken({ kind, metadata: { name } }: NewObject): boolean {
    return this.list(kind).some(({ metadata }) => metadata.name === name);
  }

  #write(type: Write['type'], object: WorldObject): void {
    if (type === 'DELETED') this.#objects.delete(object.metadata.uid);
    else this.#objects.set(object.metadata.uid, object);
    this.writes.push({ atMs: this.nowMs, type, object });
  }

  #remove(object: WorldObject): void {
    const deletionTimestamp = object.metadata.deletionTimestamp ?? formatTime(this.nowMs);
    const last = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
    if (object.kind === 'Pod') this.#removedPods.push(last as unknown as StoredPod);
    this.#write('DELETED', object);
    this.#lookAgain.delete(object.metadata.uid);
  }
}

/** True for a deleted object that nothing keeps any more. */
function isDone({ metadata }: WorldObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}

/**
 * Gives a new Job what the API server gives it: a selector and labels with its uid. Source:
 * pkg/registry/batch/job/strategy.go.
 */
function withSelector(job: NewObject, uid: string): NewObject {
  const spec = job['spec'] as JobSpec;
  if (spec.selector !== undefined) return job;
  const key = { 'batch.kubernetes.io/controller-uid': uid };
  const { metadata } = spec.template;
  const template = { ...spec.template, metadata: { ...metadata, labels: { ...metadata?.labels, ...key } } };
  return {
    ...job,
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, ...spec, selector: { matchLabels: key }, template },
  };
}

/** True when a change of `other` may matter to the controller of an object. */
function concerns(object: WorldObject, { kind, metadata }: WorldObject): boolean {
  const { uid, ownerReferences = [] } = metadata;
  if (uid === object.metadata.uid || ownerReferences.some((owner) => owner.uid === object.metadata.uid)) return true;
  return (
    !ownerReferences.some(({ controller }) => controller === true) ||
    (['Deployment', 'Service'].includes(object.kind) && kind === 'Pod')
  );
}
