import type { Container, PodSpec } from '../../api/index.ts';
import { IMAGE_PULL } from './back-off.ts';
import { type Effect, eventEffect } from '../base/effects.ts';
import type { ContainerFacts, ImageBackOff, StartError } from '../base/facts.ts';
import type { EnsuredImage, ImageNeed } from '../base/image-types.ts';
import * as events from '../texts/events.ts';
import { pullFailure } from '../texts/image-errors.ts';
import { imagePullBackOff, neverPulled, WAITING } from '../texts/container-states.ts';
import type { EventDraft } from '../texts/events.ts';

/** The result of an image look-up before a start. */
export type ImageVerdict =
  /** A program or a folder of this machine takes the place of the image. */
  | { readonly type: 'present' }
  /** The reference does not parse. `message` is the whole text of the waiting state. */
  | { readonly type: 'invalidName'; readonly message: string }
  /** The image is not on this machine. `pullError` is the error of a pull. */
  | { readonly type: 'absent'; readonly pullError: string }
  /** The container runs from the image: the agent looks it up, and pulls it when the policy asks for that. */
  | { readonly type: 'image' };

export type ImageStep =
  | { readonly type: 'ready'; readonly effects: readonly Effect[] }
  | {
      readonly type: 'refused';
      readonly startError: StartError;
      readonly imageBackOff: ImageBackOff | undefined;
      readonly effects: readonly Effect[];
    };

/** The time from ErrImagePull, which the kubelet shows first, to ImagePullBackOff. */
const SHOW_PULL_ERROR_MS = 1000;
/** The delay before an image with another error is looked up again. */
const RETRY_MS = 10_000;
const FORGET_MS = 600_000;

/**
 * Lists the images that a container needs, images of its volumes first. Source: kuberuntime_manager.go getImageVolumes,
 * toKubeContainerImageVolumes.
 */
export function imageNeeds({ volumes = [] }: PodSpec, container: Container): ImageNeed[] {
  const ofVolumes = (container.volumeMounts ?? []).flatMap(({ name }): ImageNeed[] => {
    const source = volumes.find((volume) => volume.name === name)?.image;
    if (source === undefined) return [];
    const { reference = '', pullPolicy } = source;
    return [{ container: container.name, image: reference, pullPolicy, volume: name }];
  });
  const { name, image = '', imagePullPolicy } = container;
  return [...ofVolumes, { container: name, image, pullPolicy: imagePullPolicy, volume: undefined }];
}

/**
 * Checks an image before a start. Returns `present`, or `refused` with the reason, the events and the time of the next
 * attempt. For an image of a volume, only its failure is an event of the container, the other events are of the Pod.
 * Source: pkg/kubelet/images/image_manager.go EnsureImageExists.
 */
export function ensureImage(
  need: ImageNeed,
  verdict: ImageVerdict,
  backOff: ImageBackOff | undefined,
  nowMs: number,
): ImageStep {
  const { container: name, image } = need;
  if (verdict.type === 'image') return { type: 'ready', effects: [] };
  if (verdict.type === 'present') {
    const isVolume = need.volume !== undefined;
    const draft = isVolume ? events.replacedByFolder(image) : events.replacedByProgram(name, image);
    return { type: 'ready', effects: [eventEffect(draft)] };
  }
  if (verdict.type === 'invalidName') {
    const { message } = verdict;
    return refused(need, { reason: WAITING.invalidImageName, message, retryAtMs: nowMs + RETRY_MS }, [
      events.inspectFailed(name, message),
    ]);
  }
  if (need.pullPolicy === 'Never') return ensuredImage(need, { type: 'absent' }, backOff, nowMs);
  if (isBackingOff(backOff, nowMs)) return ensuredImage(need, { type: 'backingOff' }, backOff, nowMs);
  const step = ensuredImage(need, { type: 'failed', error: verdict.pullError }, backOff, nowMs);
  return { ...step, effects: [eventEffect(pullingImage(need)), ...step.effects] };
}

/** True while a failed pull is not repeated yet. */
export function isBackingOff(backOff: ImageBackOff | undefined, nowMs: number): boolean {
  return backOff !== undefined && nowMs < backOff.lastUpdateMs + backOff.delayMs;
}

/** The event at the beginning of a pull. */
export function pullingImage(need: Pick<ImageNeed, 'container' | 'image' | 'volume'>): EventDraft {
  return eventOf(need, events.pulling(need.container, need.image));
}

/** Returns the consequence of the agent's report about an image. Source: see `ensureImage`. */
export function ensuredImage(
  need: Omit<ImageNeed, 'pullPolicy'>,
  ensured: EnsuredImage,
  backOff: ImageBackOff | undefined,
  nowMs: number,
): ImageStep {
  const { container: name, image } = need;
  switch (ensured.type) {
    case 'present':
      return { type: 'ready', effects: eventsFor(need, [events.pulled(name, image)]) };
    case 'pulled':
      return { type: 'ready', effects: eventsFor(need, [events.pulledNow(name, image, ensured)]) };
    case 'absent': {
      const message = neverPulled(image);
      return refused(need, { reason: WAITING.errImageNeverPull, message, retryAtMs: nowMs + RETRY_MS }, [
        events.errImageNeverPull(name, image),
      ]);
    }
    case 'backingOff': {
      const until = backOff === undefined ? nowMs : backOff.lastUpdateMs + backOff.delayMs;
      const message = imagePullBackOff(image, backOff?.error ?? '');
      const startError = { reason: WAITING.imagePullBackOff, message, retryAtMs: until };
      return refused(need, startError, [events.backOffPulling(name, image)], backOff);
    }
    case 'failed': {
      const { error } = ensured;
      const next = nextPull(backOff, error, nowMs);
      const startError = { reason: WAITING.errImagePull, message: next.error, retryAtMs: nowMs + SHOW_PULL_ERROR_MS };
      return refused(need, startError, [events.failedToPull(name, image, error)], next);
    }
    default:
      return ensured satisfies never;
  }
}

function eventsFor(need: Pick<ImageNeed, 'volume'>, drafts: readonly EventDraft[]): Effect[] {
  return drafts.map((draft) => eventEffect(eventOf(need, draft)));
}

function eventOf({ volume }: Pick<ImageNeed, 'volume'>, { container, ...draft }: EventDraft): EventDraft {
  return volume === undefined && container !== undefined ? { ...draft, container } : draft;
}

function nextPull(backOff: ImageBackOff | undefined, error: string, nowMs: number): ImageBackOff {
  const fresh = backOff === undefined || nowMs - backOff.lastUpdateMs > FORGET_MS;
  const delayMs = fresh ? IMAGE_PULL.initialMs : Math.min(backOff.delayMs * 2, IMAGE_PULL.maxMs);
  const failures = fresh ? 1 : backOff.failures + 1;
  return { delayMs, lastUpdateMs: nowMs, error: pullFailure(error, failures), failures };
}

function refused(
  need: Omit<ImageNeed, 'pullPolicy'>,
  startError: StartError,
  before: readonly EventDraft[],
  imageBackOff?: ImageBackOff,
): ImageStep {
  const effects = [...eventsFor(need, before), eventEffect(events.failed(need.container, startError.reason))];
  return { type: 'refused', startError, imageBackOff, effects };
}

/** The look-up results of the images of a Pod, by container and by volume. */
export interface ImageVerdicts {
  readonly containers: Readonly<Record<string, ImageVerdict>>;
  readonly volumes: Readonly<Record<string, ImageVerdict>>;
}

/** The look-up result of an image. An image without a result counts as present. */
export function imageVerdict({ containers, volumes }: ImageVerdicts, need: ImageNeed): ImageVerdict {
  const verdict = need.volume === undefined ? containers[need.container] : volumes[need.volume];
  return verdict ?? { type: 'present' };
}

/**
 * True when the spec has another image than the running instance. The kubelet restarts a container for this change
 * alone.
 */
export function imageChanged(container: Container, own: ContainerFacts): boolean {
  return own.current !== undefined && own.current.image !== (container.image ?? '');
}
