import type { Container } from '../api/generated/types.ts';
import { IMAGE_PULL } from './back-off.ts';
import { type Effect, type EventDraft, eventEffect } from './effects.ts';
import type { BackOff, ContainerFacts, StartError } from './facts.ts';
import * as events from './texts/events.ts';
import { imagePullBackOff, neverPulled, WAITING } from './texts/waiting.ts';

/** What is known of an image before a container is started from it. */
export type ImageVerdict =
  /** Its program is known: the manifest says it, or the image map does. */
  | { readonly type: 'present' }
  /** The reference does not parse; `message` is the whole text of the waiting state. */
  | { readonly type: 'invalidName'; readonly message: string }
  /** Not on this machine; `pullError` is what a pull answers. */
  | { readonly type: 'absent'; readonly pullError: string };

export type ImageStep =
  | { readonly type: 'ready'; readonly effects: readonly Effect[] }
  | {
      readonly type: 'refused';
      readonly startError: StartError;
      readonly imageBackOff: BackOff | undefined;
      readonly effects: readonly Effect[];
    };

/** kubelet shows a failed pull as ErrImagePull first; this long after it says ImagePullBackOff. */
const SHOW_PULL_ERROR_MS = 1000;
/** An image that cannot be used for other reasons is looked for again this often. */
const RETRY_MS = 10_000;
const FORGET_MS = 600_000;

/**
 * Makes sure of an image before a start: present, or refused with the reason, the events and the time of the next
 * attempt. Source: pkg/kubelet/images/image_manager.go EnsureImageExists.
 */
export function ensureImage(
  container: Container,
  verdict: ImageVerdict,
  own: ContainerFacts,
  nowMs: number,
): ImageStep {
  const { name } = container;
  const image = container.image ?? '';
  if (verdict.type === 'present') {
    return { type: 'ready', effects: [eventEffect(events.pulled(name, image))] };
  }
  if (verdict.type === 'invalidName') {
    const { message } = verdict;
    return refused(name, { reason: WAITING.invalidImageName, message, retryAtMs: nowMs + RETRY_MS }, [
      events.inspectFailed(name, message),
    ]);
  }
  if (container.imagePullPolicy === 'Never') {
    const message = neverPulled(image);
    return refused(name, { reason: WAITING.errImageNeverPull, message, retryAtMs: nowMs + RETRY_MS }, [
      events.errImageNeverPull(name, image),
    ]);
  }
  const backOff = own.imageBackOff;
  const until = backOff === undefined ? 0 : backOff.lastUpdateMs + backOff.delayMs;
  if (backOff !== undefined && nowMs < until) {
    const message = imagePullBackOff(image, verdict.pullError);
    return refused(
      name,
      { reason: WAITING.imagePullBackOff, message, retryAtMs: until },
      [events.backOffPulling(name, image)],
      backOff,
    );
  }
  return refused(
    name,
    { reason: WAITING.errImagePull, message: verdict.pullError, retryAtMs: nowMs + SHOW_PULL_ERROR_MS },
    [events.pulling(name, image), events.failedToPull(name, image, verdict.pullError)],
    nextPull(backOff, nowMs),
  );
}

function nextPull(backOff: BackOff | undefined, nowMs: number): BackOff {
  const fresh = backOff === undefined || nowMs - backOff.lastUpdateMs > FORGET_MS;
  const delayMs = fresh ? IMAGE_PULL.initialMs : Math.min(backOff.delayMs * 2, IMAGE_PULL.maxMs);
  return { delayMs, lastUpdateMs: nowMs };
}

function refused(
  name: string,
  startError: StartError,
  before: readonly EventDraft[],
  imageBackOff?: BackOff,
): ImageStep {
  const effects = [...before, events.failed(name, startError.reason)].map(eventEffect);
  return { type: 'refused', startError, imageBackOff, effects };
}

/** The images that this Pod's containers name, each with what is known of it. */
export type ImageVerdicts = Readonly<Record<string, ImageVerdict>>;

/** Looks a container's image up; one that nobody judged is taken as present. */
export function imageVerdict(verdicts: ImageVerdicts, container: Container): ImageVerdict {
  return verdicts[container.name] ?? { type: 'present' };
}

/** Has the image of a running instance been changed in the spec? kubelet restarts a container for that alone. */
export function definitionChanged(container: Container, own: ContainerFacts): boolean {
  return own.current !== undefined && own.current.image !== (container.image ?? '');
}
