import {
  type Controlled,
  controllerOf,
  everyResourceType,
  hasCode,
  hasController,
  hasFinalizers,
  isTerminalPhase,
  isWorkload,
  resourceTypeOf,
  type StoredKubeObject,
  type StoredPod,
  type StoredService,
  type Workload,
} from '../../api/index.ts';

import type { Clock } from '../../clock.ts';
import {
  hasJobFinalizer,
  resumedStatus,
  retireOldRevisions,
  type StoredReplicaSet,
  withoutJobFinalizer,
} from '../../controllers/index.ts';

import type { Claim, FileStore, ObjectKey } from '../../store/index.ts';
import { deletePod, EventRecorder, type WorkloadKey, writePatch } from '../../apiserver/index.ts';
import type { RunOwner } from './begin-runs.ts';

/** A workload, or a Service, that this process owns from now on. */
export interface OwnedWorkload<T extends Controlled = Workload> {
  readonly object: T;
  /** Gives the workload up: it rests until another agent takes it. */
  readonly release: () => void;
}

/**
 * Makes this process the owner of stored workloads. Leaves out workloads that another process owns, or that are gone.
 * Clears away the Pods that an earlier run has left.
 */
export async function beginWorkloads(
  store: FileStore,
  clock: Clock,
  {
    workloads: keys,
    isRolling = false,
  }: { readonly workloads: readonly WorkloadKey[]; readonly isRolling?: boolean | undefined },
  { command, agent }: RunOwner,
): Promise<OwnedWorkload[]> {
  const owned = keys.flatMap((key) => claimWorkload(store, key, command, agent) ?? []);
  for (const { object } of owned) await clearLeftPods(store, clock, object);
  if (!isRolling) for (const { object } of owned) startAnew(store, clock, object);
  return owned.map(({ object, release }) => ({ object: resumed(store, clock, object), release }));
}

/** Has a Deployment of which no Pod runs start with its template only: old revisions get no Pods again. */
function startAnew(store: FileStore, clock: Clock, workload: Workload): void {
  if (workload.kind !== 'Deployment') return;
  const { namespace } = workload.metadata;
  const uids = new Set(descendantsOf(store, workload));
  const ofWorkload = store
    .list<StoredPod>('pods', { namespace })
    .filter((pod) => uids.has(controllerOf(pod)?.uid ?? ''));
  if (ofWorkload.some((pod) => isLive(store, pod))) return;
  const replicaSets = store.list<StoredReplicaSet>('replicasets', { namespace });
  for (const action of retireOldRevisions(workload, replicaSets)) {
    if (action.type === 'update' && action.patch !== undefined) writePatch(store, action.on, action.patch);
    if (action.type !== 'event') continue;
    const recorder = new EventRecorder({ store, clock, controller: action.component, onEvent: () => undefined });
    recorder.record(workload, [action.event]);
  }
}

/** Lets the progress deadline of a Deployment begin anew if an earlier run has missed it. */
function resumed(store: FileStore, clock: Clock, workload: Workload): Workload {
  if (workload.kind !== 'Deployment') return workload;
  const status = resumedStatus(workload, clock.now().wallMs);
  if (status === undefined) return workload;
  return store.change<typeof workload>(resourceTypeOf(workload).plural, workload.metadata, 'status', (stored) => {
    return { ...stored, status };
  });
}

/** Makes this process the owner of a stored workload. Undefined when another one owns it, or when it is gone. */
export function claimWorkload(
  store: FileStore,
  key: WorkloadKey,
  command: string,
  agent: string | undefined,
): OwnedWorkload | undefined {
  const claimed = claimControlled(store, key, command, agent);
  return claimed !== undefined && isWorkload(claimed.object) ? { ...claimed, object: claimed.object } : undefined;
}

/** Makes this process the owner of a stored workload or Service. */
export function claimControlled(
  store: FileStore,
  { apiVersion, kind, namespace, name }: WorkloadKey,
  command: string,
  agent: string | undefined,
): OwnedWorkload<Controlled> | undefined {
  const { plural } = resourceTypeOf({ apiVersion, kind });
  const claim = claimIfStored(() => store.owners.claim(plural, { namespace, name }, command, agent));
  if (claim?.ok !== true) return undefined;
  const object = store.get<StoredKubeObject>(plural, namespace, name);
  if (object === undefined || !hasController(object)) {
    claim.release();
    return undefined;
  }
  return { object, release: claim.release };
}

/**
 * The workloads whose last owner is this background agent, each with the command of its user. Leaves out workloads that
 * one of them controls: the loop takes them with it.
 */
export function workloadsOfAgent(store: FileStore, agent: string): Array<{ key: WorkloadKey; command: string }> {
  const types = everyResourceType().filter(isWorkload);
  const all = types.flatMap(({ plural }) => store.list<StoredKubeObject>(plural));
  const owned = all.flatMap((object) => {
    const { namespace, name } = object.metadata;
    const owner = store.owners.of(namespace, name, resourceTypeOf(object).plural);
    return owner?.agent === agent ? [{ object, command: owner.command ?? '' }] : [];
  });
  const uids = new Set(owned.map(({ object }) => object.metadata.uid));
  const roots = owned.filter(({ object }) => !uids.has(controllerOf(object)?.uid ?? ''));
  return roots.map(({ object: { apiVersion, kind, metadata }, command }) => {
    return { key: { apiVersion, kind, namespace: metadata.namespace, name: metadata.name }, command };
  });
}

/** The Services whose last owner is this background agent. */
export function servicesOfAgent(store: FileStore, agent: string): ObjectKey[] {
  const keys = store.list<StoredService>('services').map(({ metadata }) => metadata);
  return keys.filter(({ namespace, name }) => store.owners.of(namespace, name, 'services')?.agent === agent);
}

/**
 * Removes the Pods of a workload that ended because their podrun ended, uncounted. A Job keeps Pods that it has
 * counted, and Pods that have succeeded.
 */
async function clearLeftPods(store: FileStore, clock: Clock, workload: Workload): Promise<void> {
  const { namespace } = workload.metadata;
  const uids = new Set(descendantsOf(store, workload));
  for (const pod of store.list<StoredPod>('pods', { namespace })) {
    const controller = controllerOf(pod);
    if (controller === undefined || !uids.has(controller.uid) || isLive(store, pod)) continue;
    const isTracked = controller.kind === 'Job';
    if (isTracked ? !hasJobFinalizer(pod) || pod.status.phase === 'Succeeded' : hasFinalizers(pod)) continue;
    await deletePod({ store, clock, namespace, name: pod.metadata.name, graceSeconds: undefined });
    // The Pod goes together with its finalizer: a Pod that stays without one would count as already counted.
    const { apiVersion, kind } = pod;
    if (isTracked) writePatch(store, { apiVersion, kind, ...pod.metadata }, withoutJobFinalizer(pod));
  }
}

function isLive(store: FileStore, { metadata: { namespace, name }, status }: StoredPod): boolean {
  return store.owners.isOwned(namespace, name) && !isTerminalPhase(status.phase);
}

/** The uids of a workload and of the workloads that it owns. */
function descendantsOf(store: FileStore, { metadata: { namespace, uid } }: Workload): string[] {
  const types = everyResourceType().filter(isWorkload);
  const all = types.flatMap(({ plural }) => store.list<StoredKubeObject>(plural, { namespace }));
  const below = (owner: string): string[] => [
    owner,
    ...all.filter((object) => controllerOf(object)?.uid === owner).flatMap(({ metadata }) => below(metadata.uid)),
  ];
  return below(uid);
}

/** Undefined when the object is gone: another command may remove it at any moment. */
function claimIfStored(claim: () => Claim): Claim | undefined {
  try {
    return claim();
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    return undefined;
  }
}
