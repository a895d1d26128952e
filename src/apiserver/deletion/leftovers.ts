import { existsSync } from 'node:fs';
import { allContainerStatuses, isTerminalPhase, PodrunError, resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { usesMemory } from '../../lifecycle/index.ts';
import { endRemains, type RemainingContainer, removeLeftLayers } from '../../runtime/index.ts';
import { type FileStore, removeInMemory, removeLeftHolds } from '../../store/index.ts';

/** Ends the remaining processes of a Pod without an agent, and removes what it and its agent had in memory. */
export async function endLeftovers(store: FileStore, pod: StoredPod, clock: Clock): Promise<void> {
  await endProcesses(store, pod, { clock, isNetworkKept: false });
  removeLeftHolds(store.memory);
  if (!usesMemory(pod.spec)) return;
  const { namespace, name } = pod.metadata;
  removeInMemory(pod, store.memory, store.paths(namespace, name).volumes);
}

/** Ends the remaining processes of a Pod. Its volumes stay, and its network when its agent keeps the Pod. */
export async function endProcesses(
  store: FileStore,
  pod: StoredPod,
  { clock, isNetworkKept }: { readonly clock: Clock; readonly isNetworkKept: boolean },
): Promise<void> {
  const { namespace, name } = pod.metadata;
  const uid = resolvedUid(pod);
  // The records may belong to a new run of that name.
  const recorded = store.podProcesses
    .surviving(namespace, name)
    .filter(({ id, network }) => id.startsWith(`${uid}/`) && !(isNetworkKept && network !== undefined));
  const groups = [...store.podProcesses.cgroupsOf(namespace, name)].filter(([id]) => id.startsWith(`${uid}/`));
  const containers = remainingContainers(pod, recorded, new Map(groups));
  if (containers.length > 0) await endRemains(containers, clock);
}

/**
 * Removes the layers of a Pod's containers, and the folders that the runtime made for them. Nothing of the Pod may run,
 * and this process must own it: another run of that name uses the same place.
 */
export async function removeLayers(store: FileStore, { metadata: { namespace, name } }: StoredPod): Promise<void> {
  const { layers } = store.paths(namespace, name);
  // Few Pods have layers.
  if (existsSync(layers)) await removeLeftLayers(layers);
}

/**
 * Makes this process the owner of a Pod without an agent, so that no other process takes it meanwhile. Undefined when
 * the Pod is gone or has been taken.
 * @param command the user's command, for messages
 * @throws {PodrunError} when the store cannot be written to
 */
export function claimUnowned(
  store: FileStore,
  { metadata: { namespace, name } }: StoredPod,
  command: string,
): { readonly release: () => void } | undefined {
  try {
    const claim = store.owners.claim('pods', { namespace, name }, command);
    return claim.ok ? claim : undefined;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    if (store.get('pods', namespace, name) === undefined) return undefined;
    throw error;
  }
}

/**
 * The containers that may still have processes. A container whose main process has ended is named by the status only:
 * other processes of the container still have its mark.
 * @param recorded main processes that still exist
 */
export function remainingContainers(
  { status }: StoredPod,
  recorded: ReadonlyArray<{ readonly id: string; readonly pid: number; readonly startTime: string }>,
  cgroups: ReadonlyMap<string, readonly string[]> = new Map(),
): RemainingContainer[] {
  const known = new Map<string, RemainingContainer>();
  for (const { containerID } of isTerminalPhase(status.phase) ? [] : allContainerStatuses(status)) {
    const id = containerID?.replace(/^.*:\/\//, '');
    if (id) known.set(id, { id, main: undefined });
  }
  for (const main of recorded) known.set(main.id, { id: main.id, main });
  for (const [id, folders] of cgroups) known.set(id, { id, main: known.get(id)?.main, cgroups: folders });
  return [...known.values()];
}
