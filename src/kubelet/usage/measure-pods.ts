import type { StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  type ContainerLook,
  lookAtContainers,
  measureContainers,
  type MeasuredContainer,
  type Usage,
} from '../../runtime/index.ts';
import type { FileStore } from '../../store/index.ts';

/** The world in which Pods are measured. */
interface MeasuredWorld {
  readonly store: FileStore;
  readonly clock: Clock;
}

/** A Pod, and a value of each of its running containers by name. */
interface OfContainers<T> {
  readonly pod: StoredPod;
  readonly byContainer: ReadonlyMap<string, T>;
}

/** A running container of a Pod. */
export interface MeasuredOfPod extends MeasuredContainer {
  readonly containerName: string;
}

/** Measures Pods for half a second: the containers whose processes are on record. */
export function measurePods(world: MeasuredWorld, pods: readonly StoredPod[]): Promise<OfContainers<Usage>[]> {
  return ofContainers(world, pods, measureContainers);
}

/** Reads the counters of Pods: the use of the processor since their containers began, and the memory. */
export function lookAtPods(world: MeasuredWorld, pods: readonly StoredPod[]): Promise<OfContainers<ContainerLook>[]> {
  return ofContainers(world, pods, lookAtContainers);
}

async function ofContainers<T>(
  { store, clock }: MeasuredWorld,
  pods: readonly StoredPod[],
  read: (containers: readonly MeasuredContainer[], clock: Clock) => Promise<ReadonlyMap<string, T>>,
): Promise<OfContainers<T>[]> {
  const running = pods.map((pod) => ({ pod, containers: runningContainers(store, pod) }));
  const values = await read(
    running.flatMap(({ containers }) => containers),
    clock,
  );
  return running.map(({ pod, containers }) => ({
    pod,
    byContainer: new Map(
      containers.flatMap(({ id, containerName }): Array<[string, T]> => {
        const value = values.get(id);
        return value === undefined ? [] : [[containerName, value]];
      }),
    ),
  }));
}

/** The containers of a Pod that run. Leaves out processes of an earlier run with the same name. */
export function runningContainers(store: FileStore, { metadata }: StoredPod): MeasuredOfPod[] {
  const { namespace, name, uid } = metadata;
  return store.podProcesses
    .surviving(namespace, name)
    .filter(({ id, network }) => id.startsWith(`${uid}/`) && network === undefined)
    .map((main) => ({ ...main, main }));
}
