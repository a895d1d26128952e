import {
  type Controlled,
  controllerOf,
  formatTime,
  type StoredEndpoints,
  type StoredEndpointSlice,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import type { ObjectCache } from '../apiserver/index.ts';
import type { ActionFailure, Owned, StoredClaim, StoredReplicaSet, WorkloadInput } from '../controllers/index.ts';
import type { NodeFacts } from '../lifecycle/index.ts';
import type { Store, Subscription } from '../store/index.ts';

/** The parts of what a controller sees that are the same for all of them. */
export interface LoopEnvironment extends Pick<WorkloadInput, 'timeZone' | 'delay' | 'suffix'> {
  /** The nodes as they are now. */
  readonly nodes: () => readonly [NodeFacts, ...NodeFacts[]];
}

/** The Pods of one controller that are remembered after they are gone. */
const REMOVED_MAX = 100;

/** All that the controller of a workload may look at: what it owns, and what has no controller. */
export function inputOf(
  workload: Controlled,
  cache: ObjectCache,
  environment: LoopEnvironment,
  moment: {
    readonly wallMs: number;
    readonly removedPods: readonly StoredPod[];
    readonly failure?: ActionFailure | undefined;
  },
): WorkloadInput {
  const { namespace, uid } = workload.metadata;
  const seen = <T extends Owned>(kind: string): T[] => [
    ...cache.controlledBy<T>(uid, kind),
    ...cache.free<T>(namespace, kind),
  ];
  const replicaSets = workload.kind === 'Deployment' ? seen<StoredReplicaSet>('ReplicaSet') : [];
  const deployment = workload.kind === 'ReplicaSet' ? controllerOf(workload) : undefined;
  return {
    ...environment,
    nodes: environment.nodes(),
    now: { wallMs: moment.wallMs },
    failure: moment.failure,
    removedPods: moment.removedPods,
    pods: podInput(workload, replicaSets, cache),
    relatedPods: deployment && (() => cache.podsBelow(deployment.uid)),
    replicaSets,
    jobs: workload.kind === 'CronJob' ? seen('Job') : [],
    revisions: ['StatefulSet', 'DaemonSet'].includes(workload.kind) ? seen('ControllerRevision') : [],
    ...(workload.kind === 'Service' ? endpointInput(workload, cache) : { slices: [], endpoints: [] }),
    claims: workload.kind === 'StatefulSet' ? cache.allOf<StoredClaim>(namespace, 'PersistentVolumeClaim') : [],
  };
}

/** The Endpoints object with the name of a Service, and the EndpointSlices of both. */
function endpointInput(
  { metadata: { namespace, uid, name } }: Controlled,
  cache: ObjectCache,
): Pick<WorkloadInput, 'slices' | 'endpoints'> {
  const endpoints = cache
    .allOf<StoredEndpoints>(namespace, 'Endpoints')
    .filter(({ metadata }) => metadata.name === name);
  const owners = [uid, ...endpoints.map(({ metadata }) => metadata.uid)];
  return {
    slices: owners.flatMap((owner) => cache.controlledBy<StoredEndpointSlice>(owner, 'EndpointSlice')),
    endpoints,
  };
}

function podInput(
  { kind, metadata: { namespace, uid } }: Controlled,
  replicaSets: readonly StoredReplicaSet[],
  cache: ObjectCache,
): StoredPod[] {
  if (kind === 'Service') return cache.allOf(namespace, 'Pod');
  // A Deployment with strategy Recreate waits for the Pods of its ReplicaSets.
  if (kind === 'Deployment') return replicaSets.flatMap(({ metadata }) => cache.controlledBy(metadata.uid, 'Pod'));
  return [...cache.controlledBy<StoredPod>(uid, 'Pod'), ...cache.free<StoredPod>(namespace, 'Pod')];
}

/** The last states of Pods that are gone, by their controllers. Only Jobs and DaemonSets ask for them. */
export class RemovedPods {
  readonly #byController = new Map<string, StoredPod[]>();

  /** @param wallMs the time of the removal */
  add(pod: StoredPod, wallMs: number): void {
    const controller = controllerOf(pod);
    if (controller === undefined || !['Job', 'DaemonSet'].includes(controller.kind)) return;
    if (pod.status.phase === 'Succeeded') return;
    const deletionTimestamp = pod.metadata.deletionTimestamp ?? formatTime(wallMs);
    const last = { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
    this.#byController.set(controller.uid, [...this.of(controller.uid), last].slice(-REMOVED_MAX));
  }

  of(uid: string): readonly StoredPod[] {
    return this.#byController.get(uid) ?? [];
  }

  forget(uid: string): void {
    this.#byController.delete(uid);
  }
}

interface ForeignEventsOptions {
  readonly store: Store;
  /** True for an object of the run that another agent looks after. */
  readonly isForeign: (uid: string) => boolean;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** The Events that other agents record about objects of a run: about a ReplicaSet that has adopted one of its Pods. */
export class ForeignEvents {
  readonly #options: ForeignEventsOptions;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(options: ForeignEventsOptions) {
    this.#options = options;
  }

  /** Reports the Events of a namespace from now on. Most runs have no object of another agent, and need none. */
  follow(namespace: string): void {
    if (this.#subscriptions.has(namespace)) return;
    const { store, isForeign, onEvent } = this.#options;
    const subscription = store.watch<StoredEvent>('events', { namespace }, (event) => {
      if (event.type !== 'DELETED' && isForeign(event.object.involvedObject.uid ?? '')) onEvent(event);
    });
    this.#subscriptions.set(namespace, subscription);
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
  }
}
