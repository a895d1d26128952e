import type { StoredKubeObject, StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { measureMachine, type Usage } from '../../runtime/index.ts';
import { hasKubelet } from '../../settings/index.ts';
import type { FileStore } from '../../store/index.ts';
import { measurePods } from './measure-pods.ts';

/**
 * Measures the use of nodes for half a second: of this machine's node, all of the machine; of a declared node, its
 * Pods. Returns the amounts by name of the node.
 */
export async function measureNodes(
  place: { readonly store: FileStore; readonly clock: Clock },
  nodes: readonly StoredKubeObject[],
): Promise<ReadonlyMap<string, Usage>> {
  const declared = nodes.filter(hasKubelet);
  const names = new Set(declared.map(({ metadata }) => metadata.name));
  const pods = declared.length === 0 ? [] : place.store.list<StoredPod>('pods');
  const own = pods.filter(({ spec }) => names.has(spec.nodeName ?? ''));
  const [machine, measured] = await Promise.all([measureMachine(place.clock), measurePods(place, own)]);
  return new Map(
    nodes.map(({ metadata: { name } }) => {
      if (!names.has(name)) return [name, machine];
      const looks = measured.filter(({ pod }) => pod.spec.nodeName === name);
      return [name, sumOf(looks.flatMap(({ byContainer }) => [...byContainer.values()]))];
    }),
  );
}

function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce<Usage>(
    (sum, { cpuMillis, memoryBytes }) => ({
      cpuMillis: sum.cpuMillis + cpuMillis,
      memoryBytes: sum.memoryBytes + memoryBytes,
    }),
    { cpuMillis: 0, memoryBytes: 0 },
  );
}
