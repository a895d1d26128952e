import type { StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { measureContainers, type Usage } from '../../runtime/index.ts';
import type { FileStore } from '../../store/index.ts';

/** A Pod, and the CPU and memory use of its running containers by name. */
export interface MeasuredPod {
  readonly pod: StoredPod;
  readonly byContainer: ReadonlyMap<string, Usage>;
}

/** Measures Pods for half a second: the containers whose processes are on record. */
export async function measurePods(
  { store, clock }: { readonly store: FileStore; readonly clock: Clock },
  pods: readonly StoredPod[],
): Promise<MeasuredPod[]> {
  const running = pods.map((pod) => {
    const { namespace, name, uid } = pod.metadata;
    const processes = store.survivingProcesses(namespace, name);
    // Leaves out processes of an earlier run with the same name.
    return { pod, processes: processes.filter(({ id, network }) => id.startsWith(`${uid}/`) && network === undefined) };
  });
  const mains = running.flatMap(({ processes }) => processes.map((main) => ({ ...main, main })));
  const usages = await measureContainers(mains, clock);
  return running.map(({ pod, processes }) => ({
    pod,
    byContainer: new Map(
      processes.flatMap(({ id, containerName }): Array<[string, Usage]> => {
        const usage = usages.get(id);
        return usage === undefined ? [] : [[containerName, usage]];
      }),
    ),
  }));
}
