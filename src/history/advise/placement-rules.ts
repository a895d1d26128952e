import type { StoredPod, TopologySpreadConstraint } from '../../api/index.ts';
import type { Advice } from './advice.ts';

/** The Pods of the workload of a Pod, itself among them, where there is more than one node. */
export interface WorkloadPods {
  /** The name of the workload: `deployment/web`. */
  readonly workload: string;
  readonly pods: readonly StoredPod[];
}

const HOSTNAME = 'kubernetes.io/hostname';
/** Labels that a controller gives each Pod, or the Pods of a revision. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set([
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);
/** The workloads whose Pods stand in for each other. */
const REPLICATED = /^(deployment|replicaset|replicationcontroller|statefulset)\//;

/** Advice for a Pod whose workload has all its Pods on one of several nodes. */
export function placementAdvice(pod: StoredPod, { workload, pods }: WorkloadPods): Advice[] {
  const { nodeName } = pod.spec;
  const isTogether = pods.length > 1 && nodeName !== undefined && pods.every(({ spec }) => spec.nodeName === nodeName);
  if (!isTogether || !REPLICATED.test(workload)) return [];
  const present = pod.spec.topologySpreadConstraints ?? [];
  const matchLabels = Object.fromEntries(
    Object.entries(pod.metadata.labels ?? {}).filter(([key]) => !OF_CONTROLLERS.has(key)),
  );
  const constraint: TopologySpreadConstraint = {
    maxSkew: 1,
    topologyKey: HOSTNAME,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels },
  };
  const others = present.filter(({ topologyKey }) => topologyKey !== HOSTNAME);
  return [
    {
      rule: 'replicas-on-one-node',
      severity: 'risk',
      container: undefined,
      path: 'spec.topologySpreadConstraints',
      current: present.length === 0 ? undefined : present,
      suggested: [...others, constraint],
      what: 'The constraint keeps a Pod Pending rather than beside another one while a node has fewer of them.',
      evidence: `All ${pods.length} Pods of ${workload} are on ${nodeName}: it takes one node to lose them.`,
      samples: pods.length,
    },
  ];
}
