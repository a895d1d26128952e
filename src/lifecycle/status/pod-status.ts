import {
  type Container,
  type ContainerStatus,
  formatTime,
  type Instant,
  isSameJson,
  isTerminalPhase,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  type StoredPod,
} from '../../api/index.ts';

import {
  allContainersRestartingCondition,
  type ConditionVerdict,
  containersReadyCondition,
  initializedCondition,
  readyCondition,
  readyToStartCondition,
} from './conditions.ts';
import { closeStatuses, containerStatus, isBeingDeleted } from './container-status.ts';
import { type ContainerFacts, containerFacts, isFinished, type PodFacts, terminationOf } from '../base/facts.ts';
import { CONSEQUENCES } from '../base/termination.ts';
import { DISRUPTION_TARGET, TERMINATION_BY_KUBELET } from '../texts/condition-reasons.ts';
import { clearStoppedStatuses } from './evicted-status.ts';
import { reasonAndMessage, foreignConditions } from './merge-status.ts';
import { podPhase, type PodPhase } from './phase.ts';
import { hasRestartAllRule } from '../base/restart-policy.ts';
import { DEADLINE_EXCEEDED, EVICTED } from '../texts/pod-reasons.ts';

/**
 * The phase as computed from the facts. Readers see a terminal phase only when every process has ended (`podStatus`).
 */
export function computedPhase(pod: StoredPod, facts: PodFacts, statuses: readonly ContainerStatus[]): PodPhase {
  const termination = terminationOf(facts);
  if (termination?.phase !== undefined) return termination.phase;
  if (termination !== undefined && CONSEQUENCES[termination.cause].failsPod) return 'Failed';
  const phase = podPhase({
    spec: pod.spec,
    // The prober sets `started` after the kubelet has computed the phase. So a sidecar counts as pending until a
    // regular container runs, also after a RestartAllContainers rule. Source: kubelet_pods.go generateAPIPodStatus.
    statuses: statuses.map((status) => ({ ...status, started: undefined })),
    podIsTerminal: termination !== undefined && !isSandboxReady(facts),
    podHasInitialized: pod.spec.containers.some(({ name }) => containerFacts(facts, name).current !== undefined),
  });
  return isTerminalPhase(phase) && restartIsDue(pod, facts) ? phaseBefore(pod) : phase;
}

/**
 * True when a container that was killed for a restart has not started again. Its exit code then does not decide the
 * phase.
 */
function restartIsDue(pod: StoredPod, facts: PodFacts): boolean {
  if (terminationOf(facts) !== undefined) return false;
  if (facts.restartingAll !== undefined) return true;
  return pod.spec.containers.some(({ name }) => {
    const { current, startError } = containerFacts(facts, name);
    return current?.exit !== undefined && current.stop?.purpose === 'restart' && startError === undefined;
  });
}

function phaseBefore(pod: StoredPod): 'Running' | 'Pending' {
  return pod.status.phase === 'Running' ? 'Running' : 'Pending';
}

/** The statuses of containers, by the list of the spec. */
export interface ContainerStatuses {
  readonly init: ContainerStatus[];
  readonly regular: ContainerStatus[];
  /** Ephemeral containers affect neither the phase nor readiness. */
  readonly ephemeral: ContainerStatus[];
}

/**
 * Computes the statuses of the Pod's containers: init containers in the order of the spec, all other containers by
 * name, as the kubelet does.
 */
export function containerStatuses(pod: StoredPod, facts: PodFacts): ContainerStatuses {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const statusesOf = (list: readonly Container[]): ContainerStatus[] =>
    list.map((container) => knownStatus(pod, facts, container));
  const byName = (statuses: ContainerStatus[]): ContainerStatus[] =>
    statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    init: statusesOf(initContainers),
    regular: byName(statusesOf(containers)),
    ephemeral: byName(statusesOf(ephemeralContainers)),
  };
}

/** A computed status and its inputs. */
interface KnownStatus {
  readonly spec: PodSpec;
  readonly own: ContainerFacts;
  readonly isEnding: boolean;
  readonly status: ContainerStatus;
}

/** Caches statuses by container of a spec: most observations change one container of a Pod. */
const known = new WeakMap<Container, KnownStatus>();

function knownStatus(pod: StoredPod, facts: PodFacts, container: Container): ContainerStatus {
  const own = containerFacts(facts, container.name);
  // The final status is computed once, and the status between rounds depends on the other containers: do not cache
  // them.
  if (isFinished(facts) || own.removed !== undefined) return containerStatus(pod, facts, container);
  const isEnding = isBeingDeleted(pod, facts);
  const before = known.get(container);
  if (before?.own === own && before.spec === pod.spec && before.isEnding === isEnding) return before.status;
  const status = containerStatus(pod, facts, container);
  known.set(container, { spec: pod.spec, own, isEnding, status });
  return status;
}

/**
 * Computes the whole status of a Pod from its facts. Conditions are computed each time and never stored. Only their
 * transition times and the conditions of other writers come from the current status. Source:
 * pkg/kubelet/kubelet_pods.go generateAPIPodStatus, pkg/kubelet/status/status_manager.go mergePodStatus.
 * @param hostIP address of the node, and of a Pod without an address of its own
 */
export function podStatus(pod: StoredPod, facts: PodFacts, hostIP: string, now: Instant): PodStatus {
  const podIP = facts.podIP ?? hostIP;
  const { init, regular, ephemeral } = containerStatuses(pod, facts);
  const statuses = [...init, ...regular];
  const phase = computedPhase(pod, facts, statuses);
  const computed = conditions({ pod, facts, statuses, phase, podIP, now });
  // A node decides the states of containers that never ran after the conditions, too.
  if (isFinished(facts) && terminationOf(facts)?.cause === 'evicted' && phase === 'Failed')
    clearStoppedStatuses(facts, statuses);
  if (isFinished(facts)) closeStatuses(pod, init, regular);
  const visible = visiblePhase(pod, facts, phase);

  const old = pod.status;
  const verdict = terminalVerdict(pod, facts, visible);
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase: visible,
    conditions: computed,
    ...verdict,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(isAddressPublished(pod, facts) ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    ...(facts.startTime === undefined ? {} : { startTime: formatTime(facts.startTime.wallMs) }),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    containerStatuses: regular,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    ...(old.qosClass === undefined ? {} : { qosClass: old.qosClass }),
    ...podResources(pod, facts),
  };
}

/**
 * The resources of a Pod that has some itself: what the node has set aside, and what holds. During a resize the old
 * ones still hold. Source: pkg/kubelet/kubelet_pods.go, feature InPlacePodLevelResourcesVerticalScaling.
 */
function podResources({ spec }: StoredPod, facts: PodFacts): Pick<PodStatus, 'allocatedResources' | 'resources'> {
  if (spec.resources === undefined) return {};
  const instances = Object.values(facts.containers).flatMap(({ current }) => current ?? []);
  const behind = instances.find(
    ({ exit, podResources: known }) => exit === undefined && !isSameJson(known, spec.resources),
  );
  return {
    ...(spec.resources.requests && { allocatedResources: spec.resources.requests }),
    resources: behind?.podResources ?? spec.resources,
  };
}

/** Hides a terminal phase while processes run: readers see the previous phase until every process has ended. */
function visiblePhase(pod: StoredPod, facts: PodFacts, phase: PodPhase): PodPhase {
  // Another writer has set the phase. Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
  const given = terminationOf(facts)?.phase;
  if (given !== undefined) return given;
  if (isTerminalPhase(phase)) return facts.sandbox === 'stopped' || isFinished(facts) ? phase : phaseBefore(pod);
  return isFinished(facts) ? 'Failed' : phase;
}

/**
 * True while the sandbox exists. For a completed Pod, the sync that notices the completion stops the remaining
 * containers and the sandbox together, before the status shows the phase. Source: pkg/kubelet/kubelet.go SyncPod
 * (killPod).
 */
function isSandboxReady(facts: PodFacts): boolean {
  if (facts.sandbox !== 'stopping') return facts.sandbox === 'ready';
  const isStopped = Object.values(facts.containers).some(({ current }) => current?.stop?.purpose === 'endPod');
  return !(terminationOf(facts)?.cause === 'completed' && isStopped);
}

/**
 * True when the status shows the Pod's address: the node's address at once, an own address after the first container
 * has started or failed.
 */
function isAddressPublished({ spec, status }: StoredPod, { containers }: PodFacts): boolean {
  if (spec.hostNetwork === true || status.podIP !== undefined) return true;
  return Object.values(containers).some(({ current, startError }) => current !== undefined || startError !== undefined);
}

function terminalVerdict(pod: StoredPod, facts: PodFacts, visible: string): Pick<PodStatus, 'message' | 'reason'> {
  const termination = terminationOf(facts);
  if (!isTerminalPhase(visible) || termination === undefined) return {};
  if (termination.phase !== undefined) return reasonAndMessage(pod.status);
  switch (termination.cause) {
    case 'evicted':
      // An evicted Pod whose containers all exit with 0 has succeeded.
      return visible === 'Failed' ? { reason: termination.reason ?? EVICTED, message: termination.message } : {};
    case 'deadlineExceeded':
      return DEADLINE_EXCEEDED;
    case 'deleted':
    case 'completed':
    case 'ended':
      return {};
    default:
      return termination satisfies never;
  }
}

interface ConditionInput {
  readonly pod: StoredPod;
  readonly facts: PodFacts;
  readonly statuses: readonly ContainerStatus[];
  readonly phase: PodPhase;
  readonly podIP: string;
  readonly now: Instant;
}

/** Condition types that the kubelet writes without observedGeneration. */
const UNDATED_TYPES = new Set(['AllContainersRestarting']);

function conditions(input: ConditionInput): PodCondition[] {
  const { pod, facts, statuses, phase, podIP } = input;
  const old = pod.status.conditions ?? [];
  const others = foreignConditions(pod.status);
  const wasInitialized = old.some(({ type, status }) => type === 'Initialized' && status === 'True');
  const sandboxes = [{ ready: isSandboxReady(facts), ip: podIP }];
  const before: [string, ConditionVerdict][] = [
    ['PodReadyToStartContainers', readyToStartCondition(sandboxes)],
    ['Initialized', initializedCondition({ spec: pod.spec, statuses, phase, wasInitialized })],
  ];
  // A readiness gate sees only conditions that stand before Ready: no later condition can open it.
  const known = [...others, ...before.map(([type, { status }]) => ({ type, status }))];
  const verdicts: [string, ConditionVerdict][] = [
    ...before,
    ['Ready', readyCondition(pod.spec, known, statuses, phase)],
    ['ContainersReady', containersReadyCondition(pod.spec, statuses, phase)],
    ['PodScheduled', { status: 'True' }],
  ];
  if (hasRestartAllRule(pod.spec)) {
    verdicts.push(['AllContainersRestarting', allContainersRestartingCondition(pod.spec, statuses, phase)]);
  }
  return [
    ...others,
    ...disruptionCondition(input),
    ...resizeCondition(input),
    ...verdicts.map(([type, verdict]) => {
      const generation = UNDATED_TYPES.has(type) ? undefined : (pod.metadata.generation ?? 1);
      return withTransitionTime(type, verdict, { old, now: input.now, generation });
    }),
  ];
}

/**
 * The condition of a Pod that its node has evicted, with the terminal phase. Source:
 * pkg/kubelet/eviction/eviction_manager.go evictPod, pkg/kubelet/status/status_manager.go mergePodStatus.
 */
function disruptionCondition({ pod, facts, phase, now }: ConditionInput): PodCondition[] {
  const termination = terminationOf(facts);
  if (termination?.cause !== 'evicted' || !termination.byNode) return [];
  if (visiblePhase(pod, facts, phase) !== 'Failed') return [];
  const verdict = { status: 'True', reason: TERMINATION_BY_KUBELET, message: termination.message } as const;
  const old = pod.status.conditions ?? [];
  return [withTransitionTime(DISRUPTION_TARGET, verdict, { old, now, generation: pod.metadata.generation ?? 1 })];
}

/**
 * Adds lastProbeTime, as the kubelet does. Source: pkg/kubelet/status/status_manager.go
 * SetPodResizeInProgressCondition.
 */
function resizeCondition({ pod, facts, now }: ConditionInput): PodCondition[] {
  if (facts.resizing === undefined) return [];
  const old = pod.status.conditions ?? [];
  const condition = withTransitionTime(
    'PodResizeInProgress',
    { status: 'True' },
    { old, now, generation: facts.resizing },
  );
  return [{ ...condition, lastProbeTime: condition.lastTransitionTime }];
}

/** Adds the generation and the transition time to a condition: now if its status is new, else its previous time. */
export function withTransitionTime(
  type: string,
  verdict: ConditionVerdict,
  context: {
    readonly old: readonly PodCondition[];
    readonly now: Instant;
    /** Undefined: the writer of the condition sets no observedGeneration. */
    readonly generation: number | undefined;
  },
): PodCondition {
  const before = context.old.find((condition) => condition.type === type);
  const carried = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  return {
    type,
    ...(context.generation === undefined ? {} : { observedGeneration: context.generation }),
    status: verdict.status,
    lastProbeTime: null,
    lastTransitionTime: carried ?? formatTime(context.now.wallMs),
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.message === undefined ? {} : { message: verdict.message }),
  };
}
