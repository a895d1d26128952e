import { controllerOf, everyResourceType, isWorkload, type StoredKubeObject, type StoredPod } from '../api/index.ts';
import type { ObjectReader } from '../store/index.ts';

/** Finds the workloads above a Pod, the nearest one first: its ReplicaSet, and the Deployment of that. */
export type WorkloadsAbove = (pod: StoredPod) => readonly WorkloadAbove[];

interface WorkloadAbove {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The topmost workload above a Pod: `deployment/web`. Undefined: no workload made it. */
export function topWorkload(above: WorkloadsAbove, pod: StoredPod): string | undefined {
  const top = above(pod).at(-1);
  return top && `${top.kind.toLowerCase()}/${top.name}`;
}

/** Reads all workloads once. The owner of a Pod is known also when it is gone. */
export function workloadsAbove(store: ObjectReader): WorkloadsAbove {
  const all = everyResourceType()
    .filter(isWorkload)
    .flatMap(({ plural }) => store.list<StoredKubeObject>(plural, {}));
  const byUid = new Map(all.map((object) => [object.metadata.uid, object]));
  return (pod) => {
    const above: WorkloadAbove[] = [];
    let owner = controllerOf(pod);
    while (owner !== undefined) {
      above.push({ kind: owner.kind, name: owner.name, uid: owner.uid });
      const object = byUid.get(owner.uid);
      owner = object && controllerOf(object);
    }
    return above;
  };
}
