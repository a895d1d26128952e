import type { ContainerStatus } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { initContainerRestarts, shouldRestart } from '../plan/restart-policy.ts';
import { WAITING } from '../texts/waiting.ts';

/** Reasons of a container that waits for an image: `ErrImagePull` is about to become `ImagePullBackOff`. */
const NO_IMAGE: ReadonlySet<string> = new Set(['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName']);

/**
 * The Pods that wait for images that no program stands for, when nothing else is left that could happen; none while
 * anything runs, is restarted, scheduled or deleted, or while a deadline will end a Pod. A Pod that was changed since
 * its creation, to another image perhaps, may be changed again.
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
  return statuses.some(waitsForImage) && statuses.every((one) => waitsForImage(one) || isIdle(pod, one));
}

/** True for a container that waits for an image that cannot be had. */
export function waitsForImage({ state }: ContainerStatus): boolean {
  return NO_IMAGE.has(state?.waiting?.reason ?? '');
}

/** True for a container that has ended for good, or waits behind an init container. */
function isIdle({ spec }: StoredPod, { name, state }: ContainerStatus): boolean {
  if (state?.terminated === undefined) return state?.waiting?.reason === WAITING.podInitializing;
  const init = spec.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return !initContainerRestarts(spec.restartPolicy, init, state.terminated.exitCode);
  const main = spec.containers.find((container) => container.name === name);
  return main === undefined || !shouldRestart(spec.restartPolicy, main, state.terminated.exitCode);
}
