import type { Pod, PriorityClass, ServiceAccount } from '../../api/generated/types.ts';

/** The classes that every cluster has. Source: pkg/apis/scheduling/v1/helpers.go. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

const COMPUTED = 'priority admission controller computed';

/** Gives a Pod without pull secrets those of its ServiceAccount. Source: plugin/pkg/admission/serviceaccount. */
export function withPullSecrets<T extends Pod>(pod: T, account: ServiceAccount | undefined): T {
  const secrets = account?.imagePullSecrets ?? [];
  if (pod.spec === undefined || secrets.length === 0 || (pod.spec.imagePullSecrets ?? []).length > 0) return pod;
  return { ...pod, spec: { ...pod.spec, imagePullSecrets: secrets } };
}

/** The Pod with its priority, or the reason why it is refused. */
export type PriorityOutcome<T> = { readonly pod: T } | { readonly problem: string };

/**
 * Gives a Pod the priority of its class, or of the default class. Unlike on a cluster, a Pod without a class keeps the
 * priority of its manifest. Source: plugin/pkg/admission/priority/admission.go, admitPod.
 */
export function withPriority<T extends Pod>(pod: T, classes: readonly PriorityClass[]): PriorityOutcome<T> {
  const { spec } = pod;
  const wanted = spec?.priorityClassName;
  const found = classes.find(({ metadata, globalDefault }) =>
    wanted ? metadata?.name === wanted : globalDefault === true,
  );
  if (spec === undefined || (found === undefined && !wanted)) return { pod };
  const priority = found === undefined ? SYSTEM_PRIORITIES.get(wanted ?? '') : (found.value ?? 0);
  if (priority === undefined) return { problem: `no PriorityClass with name ${wanted} was found` };
  const preemptionPolicy = found?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.priority !== undefined && spec.priority !== priority) {
    const rule = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    return { problem: `${rule}; ${COMPUTED} ${priority} from the given PriorityClass name` };
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const rule = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
    return { problem: `${rule}; ${COMPUTED} ${preemptionPolicy} from the given PriorityClass name` };
  }
  const priorityClassName = wanted || found?.metadata?.name;
  return { pod: { ...pod, spec: { ...spec, priorityClassName, priority, preemptionPolicy } } };
}
