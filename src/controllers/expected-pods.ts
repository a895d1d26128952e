import { DEFAULT_NAMESPACE, isWorkload, type KubeObject, type PodTemplateSpec, type StoredPod } from '../api/index.ts';
import type { NodeFacts } from '../lifecycle/index.ts';
import type { StoredDaemonSet } from './base/reconcile.ts';
import { newDaemonPod, nodeFit } from './daemon-set/daemon-pod.ts';

/**
 * The Pods that an object has when all goes well: the Pod itself, the replicas of a workload, one Pod of a DaemonSet
 * for each node that it takes. CronJobs have none before their time. Names end in numbers, or in the node's name.
 */
export function expectedPods(object: KubeObject, nodes: readonly NodeFacts[]): StoredPod[] {
  if (object.kind === 'Pod') return [completePod(object, object.metadata.name ?? '')];
  if (object.kind === 'DaemonSet') {
    const daemonSet = object as unknown as StoredDaemonSet;
    const fitting = nodes.filter((node) => nodeFit(daemonSet, node).shouldRun);
    return fitting.map(({ name }) => ofWorkload(newDaemonPod(daemonSet, name, '', ''), object, name));
  }
  const { template, ...spec } = (object['spec'] ?? {}) as WorkloadSpec;
  if (template === undefined || !isWorkload(object)) return [];
  const start = object.kind === 'StatefulSet' ? (spec.ordinals?.start ?? 0) : 1;
  return Array.from({ length: countOf(object.kind, spec) }, (_, index) =>
    ofWorkload(template, object, String(start + index)),
  );
}

interface WorkloadSpec {
  readonly template?: PodTemplateSpec;
  readonly replicas?: number;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly ordinals?: { readonly start?: number };
}

/** A Job has as many Pods at once as it may. */
function countOf(kind: string, { replicas = 1, parallelism = 1, completions }: WorkloadSpec): number {
  return kind === 'Job' ? Math.min(parallelism, completions ?? parallelism) : replicas;
}

function ofWorkload(template: PodTemplateSpec, { kind, metadata }: KubeObject, suffix: string): StoredPod {
  const { name = '', namespace } = metadata;
  const owner = { apiVersion: 'apps/v1', kind, name, uid: metadata.uid ?? '', controller: true };
  return completePod(
    { ...template, metadata: { ...template.metadata, namespace, ownerReferences: [owner] } },
    `${name}-${suffix}`,
  );
}

function completePod({ metadata, spec }: PodTemplateSpec, name: string): StoredPod {
  const { namespace = DEFAULT_NAMESPACE } = metadata ?? {};
  const own = { uid: `${namespace}/${name}`, resourceVersion: '', creationTimestamp: '' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ...own, namespace, name },
    spec: { containers: [], ...spec },
    status: {},
  };
}
