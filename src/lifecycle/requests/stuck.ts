import type { ContainerStatus } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { initContainerRestarts, shouldRestart } from '../plan/restart-policy.ts';
import { WAITING } from '../texts/waiting.ts';

/** Reasons of a container that waits for an image. `ErrImagePull` soon becomes `ImagePullBackOff`. */
const NO_IMAGE: ReadonlySet<string> = new Set(['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/**
 * The Pods that wait for images for which podrun knows no program, if nothing else can happen. Empty while a container
 * runs or restarts, a Pod is scheduled or deleted, or a deadline will end a Pod. A Pod that was changed after its
 * creation, for example to another image, may be changed again: it is not stuck.
 */
export function stuckPods(pods: readonly StoredPod[]): readonly StoredPod[] {
  const left = pods.filter(({ status }) => !isTerminalPhase(status.phase));
  return left.every(isStuck) ? left : [];
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
