import { isDeepStrictEqual } from 'node:util';
import type { PodCondition } from '../../../src/api/generated/types.ts';
import { isTerminalPhase } from '../../../src/api/base/objects.ts';
import { formatTime, parseTime } from '../../../src/api/base/time.ts';
import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

function condition({ pod }: Chronicle, type: string): PodCondition | undefined {
  return pod.status.conditions?.find((one) => one.type === type);
}

function isTrue(past: Chronicle, type: string): boolean {
  return condition(past, type)?.status === 'True';
}

/** The conditions of the kubelet. Others belong to their writers. */
const OWN = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'AllContainersRestarting',
]);
const ORDER = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** The kubelet writes its five conditions together, in its order. Source: kubelet_pods.go generateAPIPodStatus. */
export function conditionsAreComplete(entry: Entry, { pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || pod.status.containerStatuses === undefined) return undefined;
  const types = (pod.status.conditions ?? []).map(({ type }) => type);
  const own = types.filter((type) => ORDER.includes(type));
  if (own.join() !== ORDER.join()) return `conditions are ${types.join(' ')}`;
  const rules = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].flatMap(
    (one) => one.restartPolicyRules ?? [],
  );
  const expected = rules.some(({ action }) => action === 'RestartAllContainers');
  return types.includes('AllContainersRestarting') === expected ? undefined : 'AllContainersRestarting';
}

/** Source: pkg/kubelet/status/generate.go GeneratePodReadyCondition. */
export function readyImpliesContainersReady(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod') return undefined;
  return isTrue(past, 'Ready') && !isTrue(past, 'ContainersReady') ? 'Ready without ContainersReady' : undefined;
}

/** ContainersReady agrees with the containers until the Pod ends. Source: generate.go. */
export function containersReadyMeansAllReady(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || past.pod.status.containerStatuses === undefined) return undefined;
  const counted = [...past.sidecars, ...past.spec.containers];
  const unready = counted.filter(({ name }) => past.status(name)?.ready !== true).map(({ name }) => name);
  const { status, reason } = condition(past, 'ContainersReady') ?? {};
  const atItsEnd = reason === 'PodCompleted' || reason === 'PodFailed';
  if (status === 'True') return unready.length === 0 ? undefined : `True without ${unready.join(' ')}`;
  return unready.length > 0 || atItsEnd ? undefined : 'False, and every container is ready';
}

/** A Pod that has ended is not ready. Source: status_manager.go (needsReconcile of terminal phases). */
export function endedPodIsNotReady(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || !isTerminalPhase(past.pod.status.phase)) return undefined;
  return isTrue(past, 'Ready') || isTrue(past, 'ContainersReady') ? 'ready at its end' : undefined;
}

/** A readiness gate is closed unless its condition is True. Source: KEP-580, generate.go. */
export function readinessGatesHold(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || past.isClients || !isTrue(past, 'Ready')) return undefined;
  const closed = past.spec.readinessGates?.find(({ conditionType }) => !isTrue(past, conditionType));
  return closed === undefined ? undefined : `Ready with ${closed.conditionType} closed`;
}

/** Conditions of other writers stay unchanged. Source: status_manager.go mergePodStatus. */
export function foreignConditionsStay(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || past.isClients) return undefined;
  const foreign = (conditions: readonly PodCondition[] = []): readonly PodCondition[] =>
    conditions.filter(({ type }) => !OWN.has(type));
  const [earlier, now] = [foreign(past.before?.status.conditions), foreign(past.pod.status.conditions)];
  return isDeepStrictEqual(now, earlier) ? undefined : 'a condition of others was changed';
}

/** An initialized Pod stays initialized, even when its containers restart. Source: generate.go; observed. */
export function initializedStays(entry: Entry, past: Chronicle): string | undefined {
  const before = past.before?.status.conditions?.find(({ type }) => type === 'Initialized');
  if (entry.type !== 'pod' || before?.status !== 'True') return undefined;
  return isTrue(past, 'Initialized') ? undefined : 'Initialized went back to False';
}

/** Initialized is True only when every init container is done. Source: generate.go GeneratePodInitializedCondition. */
export function initializedMeansInitDone(entry: Entry, past: Chronicle): string | undefined {
  const before = past.before?.status.conditions?.find(({ type }) => type === 'Initialized');
  if (entry.type !== 'pod' || before?.status === 'True' || !isTrue(past, 'Initialized')) return undefined;
  const open = past.plainInit.find(({ name }) => past.newest(name)?.exit?.exitCode !== 0);
  return open === undefined ? undefined : `Initialized before ${open.name} was done`;
}

/**
 * The transition time of a condition changes exactly when its status does, and then to now. Source: API conventions.
 */
export function transitionTimeMovesWithStatus(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod') return undefined;
  for (const now of (pod.status.conditions ?? []).filter(({ type }) => OWN.has(type))) {
    const old = before?.status.conditions?.find(({ type }) => type === now.type);
    if (parseTime(now.lastTransitionTime ?? '') > parseTime(formatTime(entry.wallMs)) && old === undefined) {
      return `${now.type} changed in the future`;
    }
    const moved = old?.lastTransitionTime !== now.lastTransitionTime;
    if (old?.status === now.status && moved) return `${now.type} moved without a change`;
    if (old?.status !== now.status && now.lastTransitionTime !== formatTime(entry.wallMs)) {
      return `${now.type} changed at ${formatTime(entry.wallMs)} and says ${now.lastTransitionTime}`;
    }
  }
  return undefined;
}

/** PodReadyToStartContainers is True only with a ready sandbox. Source: KEP-3085. */
export function readyToStartMeansSandbox(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod') return undefined;
  if (isTrue(past, 'PodReadyToStartContainers'))
    return past.sandbox === 'ready' ? undefined : `sandbox ${past.sandbox}`;
  const running = past.lives.find(({ runningAtMs, exit }) => runningAtMs !== undefined && exit === undefined);
  return running === undefined ? undefined : `${running.id} runs, and the Pod is not ready to start containers`;
}

/** A condition has the generation that its writer saw. Source: KEP-5067. */
export function conditionsObserveTheGeneration(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || pod.status === before?.status) return undefined;
  const { generation = 1 } = pod.metadata;
  const seen = [pod.status.observedGeneration, ...(pod.status.conditions ?? []).map((one) => one.observedGeneration)];
  return seen.every((one) => one === undefined || one <= generation)
    ? undefined
    : `observed ${seen.join()}, not ${generation}`;
}
