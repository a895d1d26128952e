import type { Pod, PriorityClass, ServiceAccount } from '../../api/generated/types.ts';

/** The classes that every cluster has. Source: pkg/apis/scheduling/v1/helpers.go. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

/** Gives a Pod without pull secrets those of its ServiceAccount. Source: plugin/pkg/admission/serviceaccount. */
export function withPullSecrets<T extends Pod>(pod: T, account: ServiceAccount | undefined): T {
  const secrets = account?.imagePullSecrets ?? [];
  if (pod.spec === undefined || secrets.length === 0 || (pod.spec.imagePullSecrets ?? []).length > 0) return pod;
  return { ...pod, spec: { ...pod.spec, imagePullSecrets: secrets } };
}

/**
 * Gives a Pod the priority of its class, or of the default class. Unlike on a cluster, a class that is not stored is no
 * error: the Pod has no priority then. Source: plugin/pkg/admission/priority/admission.go.
 */
export function withPriority<T extends Pod>(pod: T, classes: readonly PriorityClass[]): T {
  const { spec } = pod;
  if (spec === undefined || spec.priority !== undefined) return pod;
  const wanted = spec.priorityClassName;
  const found = classes.find(({ metadata, globalDefault }) =>
    wanted ? metadata?.name === wanted : globalDefault === true,
  );
  const priority = found?.value ?? (found ? 0 : SYSTEM_PRIORITIES.get(wanted ?? ''));
  if (priority === undefined) return pod;
  const { name = wanted } = found?.metadata ?? {};
  const preemptionPolicy = spec.preemptionPolicy ?? found?.preemptionPolicy ?? 'PreemptLowerPriority';
  return { ...pod, spec: { ...spec, priorityClassName: name, priority, preemptionPolicy } };
}
