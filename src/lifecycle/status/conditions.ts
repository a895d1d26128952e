import { type Container, type ContainerStatus, isSidecar, type PodCondition, type PodSpec } from '../../api/index.ts';
import { restartsAll } from '../base/restart-policy.ts';
import { closedGate, CONDITION, containersWith, RESTART_RULE_MATCHED } from '../texts/condition-reasons.ts';

/** The content of a condition without its times. */
export interface ConditionVerdict {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

type ContainersOf = Pick<PodSpec, 'containers' | 'initContainers'>;
/** The statuses of init and regular containers. Undefined: the Pod has no container statuses. */
type Statuses = readonly ContainerStatus[] | undefined;

const TRUE: ConditionVerdict = { status: 'True' };

/** Source (all of this file): pkg/kubelet/status/generate.go. */
export function containersReadyCondition(
  spec: ContainersOf,
  statuses: Statuses,
  phase: string | undefined,
): ConditionVerdict {
  if (statuses === undefined) return { status: 'False', reason: CONDITION.unknownContainerStatuses };
  const counted = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers];
  const { unknown, failing } = partition(counted, statuses, (status) => status.ready);
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'False', reason: CONDITION.podCompleted };
  if (phase === 'Failed') return { status: 'False', reason: CONDITION.podFailed };
  if (unknown.length + failing.length === 0) return TRUE;
  const message = containersWith(unknown, failing, 'unready');
  return { status: 'False', reason: CONDITION.containersNotReady, message };
}

/** Ready is True when ContainersReady is True and every readiness gate is open. */
export function readyCondition(
  spec: ContainersOf & Pick<PodSpec, 'readinessGates'>,
  conditions: ReadonlyArray<Pick<PodCondition, 'type' | 'status'>>,
  statuses: Statuses,
  phase: string | undefined,
): ConditionVerdict {
  const containersReady = containersReadyCondition(spec, statuses, phase);
  if (containersReady.status !== 'True') return containersReady;
  const closed = (spec.readinessGates ?? []).flatMap(({ conditionType: type }) => {
    const condition = conditions.find((candidate) => candidate.type === type);
    return condition?.status === 'True' ? [] : [closedGate(type, condition?.status)];
  });
  if (closed.length === 0) return TRUE;
  return { status: 'False', reason: CONDITION.readinessGatesNotReady, message: closed.join(', ') };
}

interface InitializedInput {
  readonly spec: ContainersOf;
  readonly statuses: Statuses;
  readonly phase: string | undefined;
  /** True when the condition was True before. An initialized Pod stays initialized. */
  readonly wasInitialized: boolean;
}

export function initializedCondition(input: InitializedInput): ConditionVerdict {
  const { spec, statuses, phase, wasInitialized } = input;
  const initContainers = spec.initContainers ?? [];
  if (statuses === undefined && initContainers.length > 0) {
    return { status: 'False', reason: CONDITION.unknownContainerStatuses };
  }
  const known = statuses ?? [];
  const { unknown, failing } = partition(initContainers, known, (status, container) =>
    isSidecar(container) ? status.started === true : status.ready,
  );
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: CONDITION.podCompleted };
  const regular = new Set(spec.containers.map(({ name }) => name));
  if (known.some(({ name, state }) => regular.has(name) && (state?.running || state?.terminated))) return TRUE;
  if (unknown.length + failing.length === 0 || wasInitialized) return TRUE;
  const message = containersWith(unknown, failing, 'incomplete');
  return { status: 'False', reason: CONDITION.containersNotInitialized, message };
}

/** The Pod's sandbox as the container runtime sees it. */
export interface SandboxState {
  readonly ready: boolean;
  readonly ip: string;
}

/** True when exactly one sandbox is ready and has an address. Source: pkg/kubelet/kuberuntime/util/util.go. */
export function readyToStartCondition(sandboxes: readonly SandboxState[]): ConditionVerdict {
  const ready = sandboxes.filter((sandbox) => sandbox.ready);
  return { status: ready.length === 1 && ready[0]?.ip !== '' && sandboxes[0]?.ready ? 'True' : 'False' };
}

/** The AllContainersRestarting condition, only of Pods with a RestartAllContainers rule. */
export function allContainersRestartingCondition(
  spec: ContainersOf,
  statuses: Statuses,
  phase: string | undefined,
): ConditionVerdict {
  if (phase === 'Succeeded') return { status: 'False', reason: CONDITION.podCompleted };
  if (phase === 'Failed') return { status: 'False', reason: CONDITION.podFailed };
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const byName = statusesByName(statuses ?? []);
  const triggered = containers.some((container) => {
    const exit = byName.get(container.name)?.state?.terminated;
    return exit !== undefined && restartsAll(container, exit.exitCode);
  });
  if (!triggered) return { status: 'False' };
  return { status: 'True', reason: CONDITION.restartAllContainersStarted, message: RESTART_RULE_MATCHED };
}

function partition(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  good: (status: ContainerStatus, container: Container) => boolean,
): { unknown: string[]; failing: string[] } {
  const unknown: string[] = [];
  const failing: string[] = [];
  const byName = statusesByName(statuses);
  for (const container of containers) {
    const status = byName.get(container.name);
    if (status === undefined) unknown.push(container.name);
    else if (!good(status, container)) failing.push(container.name);
  }
  return { unknown, failing };
}

/** The statuses of containers by name. Names are unique in a Pod. A search per container would be quadratic. */
export function statusesByName(statuses: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> {
  return new Map(statuses.map((status) => [status.name, status]));
}
