import type { StatefulSetSpec, StatefulSetStatus } from '../../src/api/generated/types.ts';
import type { JsonObject } from '../../src/api/base/json.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { START_MS, templateOf } from './manifests.ts';
import { type Behaviour, SimulatedNode } from './simulated-node.ts';
import { World } from './world.ts';

export const RUNS: Behaviour = { readyAfterMs: 100 };

/** A world with a StatefulSet `db`, after five seconds. */
export function newSet(
  spec: Partial<StatefulSetSpec> = {},
  behaviourOf: (pod: StoredPod) => Behaviour = () => RUNS,
): { readonly world: World; readonly node: SimulatedNode } {
  const world = new World(START_MS);
  const shared = {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'web' } },
    template: templateOf('1'),
    podManagementPolicy: 'OrderedReady' as const,
    updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  };
  const metadata = { name: 'db', namespace: 'default' };
  world.create({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...shared, ...spec } }, 'db');
  const node = new SimulatedNode(world, behaviourOf);
  node.run(5000);
  return { world, node };
}

export function statusOf(world: World): StatefulSetStatus {
  return world.find('StatefulSet', 'db')['status'] as StatefulSetStatus;
}

export function change(world: World, spec: JsonObject): void {
  world.update('db', { spec });
}

/** The names of all objects of a kind, in alphabetical order. */
export function names(world: World, kind = 'Pod'): string[] {
  const objects = world.list(kind);
  return objects.map(({ metadata }) => metadata.name).toSorted();
}

/** The version of each Pod, by the order of their names. @see templateOf */
export function versions(world: World): (string | undefined)[] {
  const pods = world.pods().toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return pods.map(({ spec }) => spec.containers[0]?.env?.[0]?.value);
}
