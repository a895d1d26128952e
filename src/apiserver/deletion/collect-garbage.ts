import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  hasFinalizers,
  isTerminalPhase,
  type KubeObject,
  type PersistentVolume,
  type StoredEvent,
  type StoredPod,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { surplusPods } from '../../lifecycle/index.ts';
import {
  type FileStore,
  folderOfVolume,
  type StoreGarbage,
  sweepMemoryFolders,
  type UnreferencedFolder,
} from '../../store/index.ts';
import { isAboutGone } from './expired-events.ts';
import { deletePod } from './delete-pod.ts';
import { claimUnowned, removeLayers } from './leftovers.ts';
import { closeLostRun } from './lost-runs.ts';
import { removeStrayGroups } from '../../runtime/index.ts';

/** An object that was removed or closed. */
export type Collected =
  /** The Pod of a podrun that was killed: its processes have been ended, and it is recorded as failed. */
  | { readonly type: 'lost'; readonly namespace: string; readonly name: string; readonly agentPid: number }
  | { readonly type: 'pod' | 'event'; readonly namespace: string; readonly name: string }
  | ({ readonly type: 'run' | 'volume' } & UnreferencedFolder);

export interface Collection {
  readonly store: FileStore;
  readonly garbage: StoreGarbage;
  readonly clock: Clock;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** The number of ended Pods to keep, and of earlier runs of each Pod. */
  readonly keep: number;
  /** True: only report. */
  readonly dryRun: boolean;
  /** Called for each object after its removal. */
  readonly onRemoved: (collected: Collected) => void;
}

/**
 * Collects garbage like the controllers and the kubelets of a cluster: closes the Pods of killed podruns, and removes
 * objects that are not needed any more. Pods that a running podrun owns are left alone.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function collectGarbage(collection: Collection): Promise<void> {
  const { store, garbage, namespace } = collection;
  const lost = await closeLost(collection);
  const earlier = new Set(garbage.earlierRuns({ namespace }).map(({ path }) => path));
  const removed = await removePods(collection, lost);
  const isThere = (pod: { readonly namespace: string; readonly name: string }): boolean =>
    !removed.has(`${pod.namespace}/${pod.name}`) && store.get('pods', pod.namespace, pod.name) !== undefined;
  const surplus = surplusRuns(garbage.earlierRuns({ namespace }), collection.keep, isThere);
  // The other runs belonged to the Pods that were removed just now.
  const isReported = ({ path }: UnreferencedFolder): boolean => earlier.has(path);
  removeFolders(collection, 'run', surplus, isReported);
  removeFolders(collection, 'volume', unclaimed(collection));
  removeEvents(collection, removed);
  if (collection.dryRun) return;
  await removeUnusedLayers(collection);
  garbage.sweep();
  sweepMemoryFolders(store.memory, () => podsInNeed(store));
  removeStrayGroups(collection.clock.now().wallMs);
}

/** Removes the layers of ended Pods. A podrun that was killed just after the end has left them. */
async function removeUnusedLayers({ store, namespace }: Collection): Promise<void> {
  const ended = store.list<StoredPod>('pods', { namespace }).filter(({ status }) => isTerminalPhase(status.phase));
  for (const pod of ended) {
    if (!existsSync(store.paths(pod.metadata.namespace, pod.metadata.name).layers)) continue;
    const claim = claimUnowned(store, pod, 'gc');
    if (claim === undefined) continue;
    await removeLayers(store, pod);
    claim.release();
  }
}

/** The uids of Pods that may still run: they have an owner, or a killed podrun has left them open. */
function podsInNeed(store: FileStore): string[] {
  const pods = store.list<StoredPod>('pods');
  return pods
    .filter((pod) => isOwned(store, pod) || !isTerminalPhase(pod.status.phase))
    .map(({ metadata }) => metadata.uid);
}

/**
 * Removes ended Pods, all but `keep` of them. Returns the removed ones as `NAMESPACE/NAME`. Pods with finalizers stay
 * and do not count.
 */
export async function removePods(
  { store, clock, namespace, keep, dryRun, onRemoved }: Omit<Collection, 'garbage'>,
  lost: ReadonlySet<string> = new Set(),
): Promise<Set<string>> {
  // In a dry run, the phase of a lost Pod is not changed to Failed: count it as Failed.
  const asEnded = (pod: StoredPod): StoredPod =>
    lost.has(pod.metadata.uid) ? { ...pod, status: { ...pod.status, phase: 'Failed' } } : pod;
  const pods = store
    .list<StoredPod>('pods', { namespace })
    .filter((pod) => !isOwned(store, pod) && !hasFinalizers(pod));
  const removed = new Set<string>();
  for (const { metadata } of surplusPods(pods.map(asEnded), keep)) {
    const key = { namespace: metadata.namespace, name: metadata.name };
    if (!dryRun) {
      // Another podrun may have begun a new run of that name meanwhile.
      const present = store.get<StoredPod>('pods', key.namespace, key.name);
      if (present?.metadata.uid !== metadata.uid || !isTerminalPhase(present.status.phase)) continue;
      await deletePod({ store, clock, ...key, graceSeconds: undefined });
    }
    removed.add(`${key.namespace}/${key.name}`);
    onRemoved({ type: 'pod', ...key });
  }
  return removed;
}

/** Closes the lost Pods. Returns their uids. */
async function closeLost({ store, clock, namespace, dryRun, onRemoved }: Collection): Promise<Set<string>> {
  const lost = store.lostPods().filter(({ pod }) => namespace === undefined || pod.metadata.namespace === namespace);
  const closed = new Set<string>();
  for (const lostPod of lost) {
    const { namespace: place, name, uid } = lostPod.pod.metadata;
    if (!dryRun && !(await closeLostRun(store, lostPod, clock))) continue;
    closed.add(uid);
    onRemoved({ type: 'lost', namespace: place, name, agentPid: lostPod.agentPid });
  }
  return closed;
}

/** The runs to remove: for Pods in the store all but the newest, for all other Pods every run. */
function surplusRuns(
  runs: readonly UnreferencedFolder[],
  keep: number,
  isThere: (pod: UnreferencedFolder) => boolean,
): UnreferencedFolder[] {
  const later = new Map<string, number>();
  const surplus = runs.toReversed().filter((run) => {
    const key = `${run.namespace}/${run.name}`;
    const count = later.get(key) ?? 0;
    later.set(key, count + 1);
    return count >= keep || !isThere(run);
  });
  return surplus.toReversed();
}

/** Folders of claims that are gone, that no PersistentVolume keeps and no running Pod uses. */
function unclaimed({ store, garbage, namespace }: Collection): UnreferencedFolder[] {
  const running = store.list<StoredPod>('pods', { namespace }).filter((pod) => isOwned(store, pod));
  const volumes = store.list<PersistentVolume & KubeObject>('persistentvolumes');
  const kept = new Set(volumes.map((volume) => folderOfVolume(store.root, volume)));
  return garbage.claimedVolumes({ namespace }).filter((volume) => {
    if (kept.has(path.join(store.root, volume.path))) return false;
    const isUsed = running.some(
      ({ metadata, spec }) =>
        metadata.namespace === volume.namespace &&
        spec.volumes?.some(({ persistentVolumeClaim: claim }) => claim?.claimName === volume.name),
    );
    return !isUsed && store.get('persistentvolumeclaims', volume.namespace, volume.name) === undefined;
  });
}

function removeFolders(
  { garbage, dryRun, onRemoved }: Collection,
  type: 'run' | 'volume',
  folders: UnreferencedFolder[],
  isReported: (folder: UnreferencedFolder) => boolean = () => true,
): void {
  for (const folder of folders) {
    if (!dryRun) garbage.remove(folder);
    if (isReported(folder)) onRemoved({ type, ...folder });
  }
}

/**
 * Removes the events of objects that are gone.
 * @param removed the Pods that were removed just now, as `NAMESPACE/NAME`: their events are not reported
 */
function removeEvents({ store, namespace, dryRun, onRemoved }: Collection, removed: ReadonlySet<string>): void {
  for (const event of store.list<StoredEvent>('events', { namespace })) {
    const { metadata, involvedObject } = event;
    if (!isAboutGone(store, event)) continue;
    if (!dryRun) store.delete('events', metadata.namespace, metadata.name);
    if (involvedObject.kind === 'Pod' && removed.has(`${metadata.namespace}/${involvedObject.name}`)) continue;
    onRemoved({ type: 'event', namespace: metadata.namespace, name: metadata.name });
  }
}

function isOwned(store: FileStore, { metadata: { namespace, name } }: StoredPod): boolean {
  return store.owners.isOwned(namespace, name);
}
