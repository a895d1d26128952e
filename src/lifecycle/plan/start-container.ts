import type { Container } from '../../api/index.ts';
import { backOffVerdict } from './back-off.ts';
import type { Draft } from './draft.ts';
import { type ContainerFacts, isAlive } from '../base/facts.ts';
import { ensureImage, imageNeeds, imageVerdict, isBackingOff } from './image-pull.ts';
import { backOffRestarting } from '../texts/events.ts';
import { crashLoopMessage, WAITING } from '../texts/container-states.ts';

/**
 * Tries to start a container: waits for the processes of its last instance, checks the crash-loop back-off, checks the
 * image, then asks for the start. Containers of a Pod start one at a time: the next container waits until the start and
 * the postStart hook of the one before are over. Source: kuberuntime_manager.go SyncPod (start), doBackOff.
 */
export function startContainer(draft: Draft, container: Container): void {
  const { name } = container;
  if (isAlive(draft.own(container)) || draft.own(container).current?.swept === false) return;
  forgetOtherImage(draft, container);
  const own = draft.own(container);
  const retryAtMs = own.startError?.retryAtMs;
  if (retryAtMs !== undefined && draft.now.monotonicMs < retryAtMs) return draft.wake(retryAtMs);
  if (draft.isStarting) return;
  if (own.ensuring === undefined && !passesBackOff(draft, container, own)) return;

  if (!hasImages(draft, container, own)) return;
  const attempt = own.nextAttempt;
  const id = `${draft.pod.metadata.uid}/${name}/${attempt}`;
  draft.change(name, { ensuring: undefined, starting: { id, attempt, stage: 'creating', stop: undefined } });
  draft.effects.push({ type: 'start', container: name, id, attempt });
}

/**
 * False when an image that the container needs is missing, or has to be looked up first. Records the events, and plans
 * the next attempt.
 */
function hasImages(draft: Draft, container: Container, own: ContainerFacts): boolean {
  const ready = [...(own.ensuring?.ready ?? [])];
  for (const need of imageNeeds(draft.pod.spec, container)) {
    const { volume = '' } = need;
    if (ready.includes(volume)) continue;
    const verdict = imageVerdict(draft.config.images, need);
    if (verdict.type === 'image') {
      draft.change(container.name, { ensuring: { ready, pending: volume } });
      draft.effects.push({
        type: 'ensureImage',
        need,
        mayPull: !isBackingOff(own.imageBackOff, draft.now.monotonicMs),
      });
      return false;
    }
    ready.push(volume);
    const step = ensureImage(need, verdict, own.imageBackOff, draft.now.monotonicMs);
    draft.effects.push(...step.effects);
    if (step.type === 'ready') continue;
    draft.change(container.name, { ensuring: undefined, startError: step.startError, imageBackOff: step.imageBackOff });
    if (step.startError.retryAtMs !== undefined) draft.wake(step.startError.retryAtMs);
    return false;
  }
  return true;
}

/**
 * Forgets errors and back-offs of another image. Source: kuberuntime_manager.go GetBackoffKey, which contains the hash
 * of the container; pkg/kubelet/images/image_manager.go, which keeps the back-off by image.
 */
function forgetOtherImage(draft: Draft, container: Container): void {
  const { triedImage } = draft.own(container);
  const image = container.image ?? '';
  if (triedImage === image) return;
  const cleared = { startError: undefined, backOff: undefined, imageBackOff: undefined, ensuring: undefined };
  const forgotten = triedImage === undefined ? {} : cleared;
  draft.change(container.name, { ...forgotten, foundImage: undefined, triedImage: image });
}

/**
 * True when the crash-loop back-off permits a start. For a container that was killed for a restart, the back-off counts
 * from the end of the previous instance: the container was still running when the kubelet looked. Source:
 * kuberuntime_manager.go doBackOff.
 */
function passesBackOff(draft: Draft, container: Container, own: ContainerFacts): boolean {
  const { name } = container;
  const killed = own.current?.stop?.purpose === 'restart' && own.startError === undefined;
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
