import { type ContainerStatus, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { initContainerRestarts, shouldRestart } from '../base/restart-policy.ts';
import { type Root, rootEnd } from './root.ts';
import { WAITING } from '../texts/container-states.ts';

/** Reasons of a container that waits for an image. `ErrImagePull` soon becomes `ImagePullBackOff`. */
const NO_IMAGE: ReadonlySet<string> = new Set(['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/**
 * The Pods that wait for images for which podrun knows no program, if nothing else can happen. Empty while a container
 * runs or restarts, a Pod is created, scheduled or deleted, or a deadline will end a Pod or a Job. An object that was
 * changed after its creation, for example to another image, may be changed again: it is not stuck.
 */
export function stuckPods(roots: readonly Root[]): readonly StoredPod[] {
  const left = roots
    .filter((root) => rootEnd(root) === 'running')
    .map(({ object, pods }) => ({ object, pods: pods.filter(({ status }) => !isTerminalPhase(status.phase)) }));
  const isOver = left.every(({ object, pods }) => pods.length > 0 && !mayChange(object) && pods.every(isStuck));
  return isOver ? left.flatMap(({ pods }) => pods) : [];
}

/** True for a workload whose Pods may end or be replaced. */
function mayChange(object: Root['object']): boolean {
  if (object.kind === 'Pod') return false;
  const { generation = 1, deletionTimestamp } = object.metadata;
  const hasDeadline = object.kind === 'Job' && object.spec.activeDeadlineSeconds !== undefined;
  return object.kind === 'CronJob' || generation > 1 || deletionTimestamp !== undefined || hasDeadline;
}

function isStuck(pod: StoredPod): boolean {
  const { metadata, spec, status } = pod;
  const isChanged = (metadata.generation ?? 1) > 1;
  if (isChanged || metadata.deletionTimestamp !== undefined || spec.activeDeadlineSeconds !== undefined) return false;
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return statuses.some(waitsForImage) && statuses.every((entry) => waitsForImage(entry) || isIdle(pod, entry));
}

/** True for a container that waits for an image that cannot be pulled. */
export function waitsForImage({ state }: ContainerStatus): boolean {
  return NO_IMAGE.has(state?.waiting?.reason ?? '');
}

/** True for a container that has ended for good, or waits for an init container. */
function isIdle({ spec }: StoredPod, { name, state }: ContainerStatus): boolean {
  if (state?.terminated === undefined) return state?.waiting?.reason === WAITING.podInitializing;
  const init = spec.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return !initContainerRestarts(spec.restartPolicy, init, state.terminated.exitCode);
  const main = spec.containers.find((container) => container.name === name);
  return main === undefined || !shouldRestart(spec.restartPolicy, main, state.terminated.exitCode);
}
