import {
  allContainerStatuses,
  type ContainerStatus,
  type Instant,
  type PodStatus,
  type StoredPod,
} from '../../api/index.ts';
import { containersReadyCondition, readyCondition } from './conditions.ts';
import { closeStatus, closeStatuses } from './container-status.ts';
import { withTransitionTime } from './pod-status.ts';
import { DELETION_BY_POD_GC, DISRUPTION_TARGET } from '../texts/condition-reasons.ts';
import { NODE_LOST, nodeLost, PODRUN_DEFECT } from '../texts/pod-reasons.ts';

/**
 * The last status of a Pod whose agent was killed, when no process of it runs any more: Failed with the reason NodeLost
 * and a DisruptionTarget condition. A Pod of a lost node gets these when it is garbage collected. Source:
 * pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition.
 * @param pod as its agent left it
 * @param agentPid the process that ran it
 */
export function lostPodStatus(pod: StoredPod, agentPid: number, now: Instant): PodStatus {
  const { metadata, spec, status } = pod;
  const old = status.conditions ?? [];
  const context = { old, now, generation: metadata.generation };
  const disrupted = withTransitionTime(DISRUPTION_TARGET, { status: 'True', ...DELETION_BY_POD_GC }, context);
  const closed = closedPodStatus(pod, now);
  const others = (closed.conditions ?? []).filter(({ type }) => type !== disrupted.type);
  return {
    ...closed,
    reason: NODE_LOST,
    message: nodeLost(spec.nodeName ?? '<none>', metadata.name, agentPid),
    conditions: [disrupted, ...others],
  };
}

/**
 * The last status of a Pod that podrun has ended because of a defect of its own. podrun's own.
 * @param message the sentence about the defect
 */
export function brokenPodStatus(pod: StoredPod, message: string, now: Instant): PodStatus {
  return { ...closedPodStatus(pod, now), reason: PODRUN_DEFECT, message };
}

/**
 * The status Failed of a Pod of which no process runs any more. `closeStatuses` sets the states of containers whose end
 * was not observed. Source: pkg/kubelet/status/generate.go (reason PodFailed).
 */
function closedPodStatus(pod: StoredPod, now: Instant): PodStatus {
  const { spec, status } = pod;
  const { generation } = pod.metadata;
  const init = structuredClone(status.initContainerStatuses ?? []);
  const regular = structuredClone(status.containerStatuses ?? []);
  closeStatuses(pod, init, regular);
  const ephemeral = structuredClone(status.ephemeralContainerStatuses ?? []);
  for (const entry of ephemeral) if (entry.state?.running !== undefined) closeStatus(entry);
  for (const entry of [...init, ...regular, ...ephemeral]) keepInstance(entry, allContainerStatuses(status));
  const statuses = [...init, ...regular].map(notRunning);
  const old = status.conditions ?? [];
  const verdicts = {
    PodReadyToStartContainers: { status: 'False' as const },
    Ready: readyCondition(spec, old, statuses, 'Failed'),
    ContainersReady: containersReadyCondition(spec, statuses, 'Failed'),
  };
  const conditions = old.map((condition) => {
    const verdict = verdicts[condition.type as keyof typeof verdicts] as (typeof verdicts)['Ready'] | undefined;
    return verdict === undefined ? condition : withTransitionTime(condition.type, verdict, { old, now, generation });
  });
  return {
    ...status,
    phase: 'Failed',
    conditions,
    ...(init.length === 0 ? {} : { initContainerStatuses: statuses.slice(0, init.length) }),
    ...(regular.length === 0 ? {} : { containerStatuses: statuses.slice(init.length) }),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  };
}

/** Keeps the container ID and the start time of the lost instance, so that `logs` finds its log. */
function keepInstance(closed: ContainerStatus, before: readonly ContainerStatus[]): void {
  const old = before.find(({ name }) => name === closed.name);
  const { terminated } = closed.state ?? {};
  if (terminated === undefined || old?.state?.running === undefined || old.containerID === undefined) return;
  const { startedAt } = old.state.running;
  closed.state = { terminated: { ...terminated, containerID: old.containerID, ...(startedAt && { startedAt }) } };
}

/** Clears `ready` and `started`. An init container that has completed stays ready. */
function notRunning(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated?.exitCode === 0) return status;
  return { ...status, ready: false, started: false };
}
