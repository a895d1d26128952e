import type { Container } from '../../api/generated/types.ts';
import { backOffVerdict } from './back-off.ts';
import type { Draft } from './draft.ts';
import { type ContainerFacts, isAlive } from '../facts.ts';
import { ensureImage, imageNeeds, imageVerdict } from './image-pull.ts';
import { backOffRestarting } from '../texts/events.ts';
import { crashLoopMessage, WAITING } from '../texts/waiting.ts';

/**
 * Tries to start a container: waits for what its last instance left behind, checks the crash-loop back-off, makes sure
 * of the image, then asks for the start. Containers of a Pod are started one at a time: while one is being created, or
 * its postStart hook runs, the next one waits.
 * Source: kuberuntime_manager.go SyncPod (start), doBackOff.
 */
export function startContainer(draft: Draft, container: Container): void {
  const { name } = container;
  if (isAlive(draft.own(container)) || draft.own(container).current?.swept === false) return;
  forgetOtherImage(draft, container);
  const own = draft.own(container);
  const retryAtMs = own.startError?.retryAtMs;
  if (retryAtMs !== undefined && draft.now.monotonicMs < retryAtMs) return draft.wake(retryAtMs);
  if (draft.isStarting) return;
  if (!passesBackOff(draft, container, own)) return;

  if (!hasImages(draft, container, own)) return;
  const attempt = own.nextAttempt;
  const id = `${draft.pod.metadata.uid}/${name}/${attempt}`;
  draft.change(name, { starting: { id, attempt, stage: 'creating', startedAt: undefined, stop: undefined } });
  draft.effects.push({ type: 'start', container: name, id, attempt });
}

/** False: one of the images that the container needs is not there, which is told, and tried again later. */
function hasImages(draft: Draft, container: Container, own: ContainerFacts): boolean {
  for (const need of imageNeeds(draft.pod.spec, container)) {
    const verdict = imageVerdict(draft.config.images, need);
    const step = ensureImage(need, verdict, own.imageBackOff, draft.now.monotonicMs);
    draft.effects.push(...step.effects);
    if (step.type === 'ready') continue;
    draft.change(container.name, { startError: step.startError, imageBackOff: step.imageBackOff });
    if (step.startError.retryAtMs !== undefined) draft.wake(step.startError.retryAtMs);
    return false;
  }
  return true;
}

/**
 * What went wrong with another image says nothing of this one. Source: kuberuntime_manager.go GetBackoffKey, which has
 * the hash of the container in it; pkg/kubelet/images/image_manager.go, whose back-off is kept by image.
 */
function forgetOtherImage(draft: Draft, container: Container): void {
  const { triedImage } = draft.own(container);
  const image = container.image ?? '';
  if (triedImage === image) return;
  const forgotten =
    triedImage === undefined ? {} : { startError: undefined, backOff: undefined, imageBackOff: undefined };
  draft.change(container.name, { ...forgotten, triedImage: image });
}

/**
 * A container that was killed in order to be restarted was still running when kubelet looked: its back-off counts from
 * the end of the instance before. Source: kuberuntime_manager.go doBackOff; lifecycle of probe kills.
 */
function passesBackOff(draft: Draft, container: Container, own: ContainerFacts): boolean {
  const { name } = container;
  const killed = own.current?.stop?.restart === true && own.startError === undefined;
  const ended = killed ? own.previous?.exit : own.current?.exit;
  if (ended === undefined) return true;
  const nowMs = draft.now.monotonicMs;
  const verdict = backOffVerdict(own.backOff, ended.at.monotonicMs, nowMs, draft.config.crashLoop);
  if (verdict.type === 'go') {
    draft.change(name, { backOff: verdict.next });
    return true;
  }
  draft.change(name, {
    startError: {
      reason: WAITING.crashLoopBackOff,
      message: crashLoopMessage(verdict.delayMs, name, draft.pod.metadata),
      retryAtMs: verdict.untilMs,
    },
  });
  draft.event(backOffRestarting(name, draft.pod.metadata));
  draft.wake(verdict.untilMs);
  return false;
}
