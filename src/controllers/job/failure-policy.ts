import type {
  ContainerStatus,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  StoredPod,
} from '../../api/index.ts';
import { type JobReason, matchedCondition, matchedExitCode } from '../texts/job.ts';

/** The meaning of a failed Pod by the policy of its Job. */
export interface FailureVerdict {
  /** The action of the rule that matched. Undefined: none did. */
  readonly action?: PodFailurePolicyRule['action'];
  /** With FailJob: the reason why the Job fails. */
  readonly failure?: JobReason;
}

/**
 * The first rule that matches a failed Pod. Source: pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy.
 */
export function failureVerdict(policy: PodFailurePolicy | undefined, pod: StoredPod): FailureVerdict {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  for (const [index, { action, onExitCodes, onPodConditions = [] }] of (policy?.rules ?? []).entries()) {
    if (onExitCodes !== undefined) {
      const container = containerMatching(pod, onExitCodes);
      const exitCode = container?.state?.terminated?.exitCode ?? 0;
      if (container !== undefined) return { action, failure: matchedExitCode(name, container.name, exitCode, index) };
    } else {
      const found = onPodConditions.find((pattern) => hasCondition(pod, pattern.type, pattern.status ?? 'True'));
      if (found !== undefined) return { action, failure: matchedCondition(name, found.type, index) };
    }
  }
  return {};
}

/** True when a failed Pod counts as a failure of its Job. */
export function countsAsFailure(policy: PodFailurePolicy | undefined, pod: StoredPod): boolean {
  return failureVerdict(policy, pod).action !== 'Ignore';
}

/** The first container that ended with a code that the rule means: regular containers first. */
function containerMatching(
  { status }: StoredPod,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return all.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && name !== containerName)) return false;
    return values.includes(exitCode) === (operator === 'In');
  });
}

function hasCondition({ status }: StoredPod, type: string, wanted: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === wanted);
}
