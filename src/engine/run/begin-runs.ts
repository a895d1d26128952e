import { fromServer, hasFinalizers, type KubeObject, type StoredPod } from '../../api/index.ts';
import { admitAll, closeLostRun, endLeftovers } from '../../apiserver/index.ts';
import type { Clock } from '../../clock.ts';
import type { FileStore } from '../../store/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { hasLiveOwner } from './foreign-pods.ts';

/** A Pod that this process owns from now on. */
export interface OwnedRun {
  readonly pod: StoredPod;
  readonly written: ManifestObject['written'];
  readonly release: () => void;
}

export interface ClaimedPods {
  readonly owned: readonly OwnedRun[];
  /** Pods that another process has begun to run meanwhile. */
  readonly foreign: readonly ManifestObject<StoredPod>[];
}

/** The owner of Pods, as other processes see it. */
export interface RunOwner {
  /** The user's command, for messages. */
  readonly command: string;
  /** The name of the background agent, if the owner is one. */
  readonly agent?: string;
}

/**
 * Makes this process the owner of the Pods. First ends the processes that a killed podrun has left of them.
 * @throws {PodrunError} before any Pod has begun, when finalizers keep a deleted Pod of one of the names, or a quota or
 *   LimitRange forbids a Pod
 */
export async function beginRuns(
  store: FileStore,
  clock: Clock,
  pods: readonly ManifestObject<StoredPod>[],
  { command, agent }: RunOwner,
): Promise<ClaimedPods> {
  for (const { object } of pods) refuseNameInUse(store, object);
  const admitted = admitNewPods(store, pods);
  const owned: OwnedRun[] = [];
  const foreign: ManifestObject<StoredPod>[] = [];
  for (const manifest of admitted) {
    const { object, written } = manifest;
    const { namespace, name } = object.metadata;
    const old = store.get<StoredPod>('pods', namespace, name);
    if (hasLiveOwner(store, object)) {
      foreign.push(manifest);
      continue;
    }
    if (old !== undefined) await endOldRun(store, old, clock);
    const started = store.startRun(object, command, agent);
    if (started.ok) owned.push({ pod: started.pod, written, release: () => started.release() });
    else foreign.push(manifest);
  }
  return { owned, foreign };
}

/** Admits the Pods that are to be created, together: a quota counts them all. */
function admitNewPods(store: FileStore, pods: readonly ManifestObject<StoredPod>[]): ManifestObject<StoredPod>[] {
  const fresh = pods.filter(({ object }) => !hasLiveOwner(store, object));
  const admitted = admitAll(
    store,
    fresh.map(({ object }) => object as unknown as KubeObject),
  );
  const objects = new Map(fresh.map((manifest, index) => [manifest, admitted[index] as unknown as StoredPod]));
  return pods.map((manifest) => ({ ...manifest, object: objects.get(manifest) ?? manifest.object }));
}

/** Refuses a name that a deleted Pod still has. Source: apiserver/pkg/registry/rest/create.go. */
function refuseNameInUse(store: FileStore, { metadata: { namespace, name } }: StoredPod): void {
  const old = store.get<StoredPod>('pods', namespace, name);
  if (old?.metadata.deletionTimestamp === undefined || !hasFinalizers(old) || hasLiveOwner(store, old)) return;
  const hint =
    `The old Pod stays until its finalizers are removed (${(old.metadata.finalizers ?? []).join(', ')}): ` +
    `podrun patch pod/${name} -n ${namespace} --type=merge -p '{"metadata":{"finalizers":null}}'`;
  throw fromServer('AlreadyExists', `object is being deleted: pods "${name}" already exists`, hint);
}

/** Removes the Pods that were begun, as if they had never existed. */
export function undoRuns(store: FileStore, owned: readonly OwnedRun[]): void {
  for (const { pod } of owned) store.delete('pods', pod.metadata.namespace, pod.metadata.name);
}

/** Ends an old run before its records move into the history. */
async function endOldRun(store: FileStore, old: StoredPod, clock: Clock): Promise<void> {
  const owner = store.owners.of(old.metadata.namespace, old.metadata.name);
  if (old.status.phase === 'Unknown' && owner !== undefined) {
    await closeLostRun(store, { pod: old, agentPid: owner.pid }, clock);
  } else await endLeftovers(store, old, clock);
}
