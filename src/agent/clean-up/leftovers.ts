import { existsSync } from 'node:fs';
import { PodrunError } from '../../api/errors.ts';
import { allContainerStatuses, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { usesMemory } from '../../lifecycle/volumes/volume-medium.ts';
import { endRemains, type RemainingContainer } from '../../runtime/remains.ts';
import type { FileStore } from '../../store/file-store.ts';
import { removeInMemory } from '../volumes/in-memory.ts';
import { removeLeftLayers } from '../../runtime/namespace/layers.ts';

/**
 * Ends what still runs of a Pod that nobody looks after: its agent was killed, or it has ended and left something. What
 * it had in memory goes.
 */
export async function endLeftovers(store: FileStore, pod: StoredPod, clock: Clock): Promise<void> {
  await endProcesses(store, pod, clock);
  if (!usesMemory(pod.spec)) return;
  const { namespace, name } = pod.metadata;
  removeInMemory(pod, store.memory, store.paths(namespace, name).volumes);
}

/** Ends what still runs of a Pod; what it has stored stays. */
export async function endProcesses(store: FileStore, pod: StoredPod, clock: Clock): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  // Somebody may have begun a new run of that name by now.
  const recorded = store.survivingProcesses(namespace, name).filter(({ id }) => id.startsWith(`${uid}/`));
  const groups = [...store.cgroupsOf(namespace, name)].filter(([id]) => id.startsWith(`${uid}/`));
  const containers = remainingContainers(pod, recorded, new Map(groups));
  if (containers.length > 0) await endRemains(containers, clock);
}

/**
 * Removes what containers of a Pod have written to their copies of the root, with what was made on the host for them.
 * Nothing of it may run any more, and this process owns it: another run of that name has its own at the same place.
 */
export async function removeLayers(store: FileStore, { metadata: { namespace, name } }: StoredPod): Promise<void> {
  const { layers } = store.paths(namespace, name);
  // Few have any.
  if (existsSync(layers)) await removeLeftLayers(layers);
}

/**
 * Makes this process the owner of a Pod that nobody runs, so that nobody takes it up while it is being dealt with.
 * Undefined when the Pod is gone or somebody has taken it up.
 * @param command what the user called, for messages
 * @throws {PodrunError} when the store cannot be written to
 */
export function claimUnowned(
  store: FileStore,
  { metadata: { namespace, name } }: StoredPod,
  command: string,
): { readonly release: () => void } | undefined {
  try {
    const claim = store.claimPod(namespace, name, command);
    return claim.ok ? claim : undefined;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    if (store.get('pods', namespace, name) === undefined) return undefined;
    throw error;
  }
}

/**
 * The containers of which something may run. Of those whose main process has ended since, only the status tells: what
 * they have left behind still bears their mark.
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
