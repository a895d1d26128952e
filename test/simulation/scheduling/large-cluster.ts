import type { StoredPod } from '../../../src/api/index.ts';
import type { Snapshot } from '../../../src/lifecycle/scheduling/base/snapshot.ts';
import { readCluster } from '../../../src/lifecycle/scheduling/read-cluster.ts';

const WORKLOADS = 10;
const ZONE = 'topology.kubernetes.io/zone';

export interface PodKind {
  readonly cpu?: number;
  /** Spread over zones, and over nodes. */
  readonly spread?: boolean;
  /** No two of a workload share a node. */
  readonly apart?: boolean;
}

/** Nodes of three zones, and the ReplicaSets of `replicas`. */
export function largeCluster(nodes: number, cores: number): Snapshot {
  const objects = [
    ...Array.from({ length: nodes }, (_, index) => {
      const name = `node-${index + 1}`;
      const labels = { 'kubernetes.io/hostname': name, [ZONE]: `zone-${(index % 3) + 1}` };
      const allocatable = { cpu: String(cores), memory: '16Gi', pods: '110' };
      return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {}, status: { allocatable } };
    }),
    ...Array.from({ length: WORKLOADS }, (_, index) => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: `web-${index}`, namespace: 'default', uid: `set-${index}` },
      spec: { selector: { matchLabels: { app: `web-${index}` } } },
    })),
  ];
  return readCluster(objects);
}

/** Pods of ten ReplicaSets. */
export function replicas(count: number, { cpu = 0.25, spread, apart }: PodKind): StoredPod[] {
  return Array.from({ length: count }, (_, index) => {
    const app = `web-${index % WORKLOADS}`;
    const labelSelector = { matchLabels: { app } };
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `set-${index % WORKLOADS}` };
    const constraint = { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
    const required = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }];
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${index}`,
        namespace: 'default',
        uid: `uid-${index}`,
        labels: { app },
        ownerReferences: [{ ...owner, controller: true }],
      },
      spec: {
        containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: String(cpu), memory: '128Mi' } } }],
        ...(spread && { topologySpreadConstraints: [{ ...constraint, topologyKey: ZONE }] }),
        ...(apart && { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
      },
      status: { phase: 'Pending' },
    } as unknown as StoredPod;
  });
}
