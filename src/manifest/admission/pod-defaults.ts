import type { Pod, PriorityClass, ServiceAccount, Toleration } from '../../api/index.ts';
import { SYSTEM_PRIORITIES } from '../base/system-priorities.ts';

const COMPUTED = 'priority admission controller computed';

/**
 * Gives a Pod without pull secrets the pull secrets of its ServiceAccount. Source: plugin/pkg/admission/serviceaccount.
 */
export function withPullSecrets<T extends Pod>(pod: T, account: ServiceAccount | undefined): T {
  const secrets = account?.imagePullSecrets ?? [];
  if (pod.spec === undefined || secrets.length === 0 || (pod.spec.imagePullSecrets ?? []).length > 0) return pod;
  return { ...pod, spec: { ...pod.spec, imagePullSecrets: secrets } };
}

/** The time for which a Pod stays on a node without a kubelet. Source: the flags of the API server, both by default. */
const TOLERATED_SECONDS = 300;

/**
 * Lets a Pod stay for a while on a node that has become not ready or unreachable, unless it says so itself. Source:
 * plugin/pkg/admission/defaulttolerationseconds/admission.go.
 */
export function withTolerations<T extends Pod>(pod: T): T {
  if (pod.spec === undefined) return pod;
  const { tolerations = [] } = pod.spec;
  const isTolerated = (taint: string): boolean =>
    tolerations.some(({ key, effect }) => (!key || key === taint) && (!effect || effect === 'NoExecute'));
  const added = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
    .filter((taint) => !isTolerated(taint))
    .map((key): Toleration => {
      return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATED_SECONDS };
    });
  return added.length === 0 ? pod : { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } };
}

/**
 * A changed Pod with the priority that it has, unless it says another one.
 * Source: plugin/pkg/admission/priority/admission.go, admitPod.
 */
export function withKeptPriority<T extends Pod>(changed: T, { spec: before }: Pod): T {
  const { spec } = changed;
  if (spec === undefined || before === undefined) return changed;
  const priority = spec.priority ?? before.priority;
  const preemptionPolicy = spec.preemptionPolicy ?? before.preemptionPolicy;
  const isSame = priority === spec.priority && preemptionPolicy === spec.preemptionPolicy;
  return isSame ? changed : { ...changed, spec: { ...spec, priority, preemptionPolicy } };
}

/** The Pod with its priority, or the reason why it is refused. */
export type PriorityOutcome<T> = { readonly pod: T } | { readonly problem: string };

/**
 * Gives a Pod the priority of its class, or of the default class. A Pod without any has priority 0.
 * Source: plugin/pkg/admission/priority/admission.go, admitPod.
 */
export function withPriority<T extends Pod>(pod: T, classes: readonly PriorityClass[]): PriorityOutcome<T> {
  const { spec } = pod;
  if (spec === undefined) return { pod };
  const wanted = spec.priorityClassName;
  const priorityClass = wanted ? classes.find(({ metadata }) => metadata?.name === wanted) : defaultClass(classes);
  const priority = priorityClass === undefined && wanted ? SYSTEM_PRIORITIES.get(wanted) : (priorityClass?.value ?? 0);
  if (priority === undefined) return { problem: `no PriorityClass with name ${wanted} was found` };
  const preemptionPolicy = priorityClass?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.priority !== undefined && spec.priority !== priority) {
    const rule = `the integer value of priority (${spec.priority}) must not be provided in pod spec`;
    return { problem: `${rule}; ${COMPUTED} ${priority} from the given PriorityClass name` };
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const rule = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`;
    return { problem: `${rule}; ${COMPUTED} ${preemptionPolicy} from the given PriorityClass name` };
  }
  const priorityClassName = wanted || priorityClass?.metadata?.name;
  return {
    pod: { ...pod, spec: { ...spec, ...(priorityClassName && { priorityClassName }), priority, preemptionPolicy } },
  };
}

/** The class of Pods that name none. Older versions of podrun took several: the least counts. */
function defaultClass(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const defaults = classes.filter(({ globalDefault }) => globalDefault === true);
  return defaults.toSorted((one, other) => (one.value ?? 0) - (other.value ?? 0))[0];
}

/**
 * The reason why a PriorityClass may not be stored beside the stored classes. Undefined: it may. Source:
 * plugin/pkg/admission/priority/admission.go, admitPriorityClass.
 */
export function priorityClassProblem(wanted: PriorityClass, stored: readonly PriorityClass[]): string | undefined {
  const present = defaultClass(stored.filter(({ metadata }) => metadata?.name !== wanted.metadata?.name));
  if (wanted.globalDefault !== true || present === undefined) return undefined;
  return `PriorityClass ${present.metadata?.name} is already marked as default. Only one default can exist`;
}
