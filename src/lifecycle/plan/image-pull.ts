import type { Container, PodSpec } from '../../api/generated/types.ts';
import { IMAGE_PULL } from './back-off.ts';
import { type Effect, type EventDraft, eventEffect } from '../effects.ts';
import type { BackOff, ContainerFacts, StartError } from '../facts.ts';
import * as events from '../texts/events.ts';
import { imagePullBackOff, neverPulled, WAITING } from '../texts/waiting.ts';

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

/** An image that a container cannot start without: its own, or that of a volume it mounts. */
export interface ImageNeed {
  readonly container: string;
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** The volume that shows the image; undefined: it is the container's own. */
  readonly volume: string | undefined;
}

/**
 * The images that a container needs, those of its volumes first.
 * Source: kuberuntime_manager.go getImageVolumes, toKubeContainerImageVolumes.
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
 * Makes sure of an image before a start: present, or refused with the reason, the events and the time of the next
 * attempt. What happens to the image of a volume is told of the Pod, and only its failure of the container.
 * Source: pkg/kubelet/images/image_manager.go EnsureImageExists.
 */
export function ensureImage(
  need: ImageNeed,
  verdict: ImageVerdict,
  backOff: BackOff | undefined,
  nowMs: number,
): ImageStep {
  const { container: name, image } = need;
  if (verdict.type === 'present') {
    return { type: 'ready', effects: toldOf(need, [events.pulled(name, image)]) };
  }
  if (verdict.type === 'invalidName') {
    const { message } = verdict;
    return refused(need, { reason: WAITING.invalidImageName, message, retryAtMs: nowMs + RETRY_MS }, [
      events.inspectFailed(name, message),
    ]);
  }
  if (need.pullPolicy === 'Never') {
    const message = neverPulled(image);
    return refused(need, { reason: WAITING.errImageNeverPull, message, retryAtMs: nowMs + RETRY_MS }, [
      events.errImageNeverPull(name, image),
    ]);
  }
  const until = backOff === undefined ? 0 : backOff.lastUpdateMs + backOff.delayMs;
  if (backOff !== undefined && nowMs < until) {
    const message = imagePullBackOff(image, verdict.pullError);
    return refused(
      need,
      { reason: WAITING.imagePullBackOff, message, retryAtMs: until },
      [events.backOffPulling(name, image)],
      backOff,
    );
  }
  return refused(
    need,
    { reason: WAITING.errImagePull, message: verdict.pullError, retryAtMs: nowMs + SHOW_PULL_ERROR_MS },
    [events.pulling(name, image), events.failedToPull(name, image, verdict.pullError)],
    nextPull(backOff, nowMs),
  );
}

function toldOf({ volume }: ImageNeed, drafts: readonly EventDraft[]): Effect[] {
  return drafts.map(({ container, ...draft }) =>
    eventEffect(volume === undefined && container !== undefined ? { ...draft, container } : draft),
  );
}

function nextPull(backOff: BackOff | undefined, nowMs: number): BackOff {
  const fresh = backOff === undefined || nowMs - backOff.lastUpdateMs > FORGET_MS;
  const delayMs = fresh ? IMAGE_PULL.initialMs : Math.min(backOff.delayMs * 2, IMAGE_PULL.maxMs);
  return { delayMs, lastUpdateMs: nowMs };
}

function refused(
  need: ImageNeed,
  startError: StartError,
  before: readonly EventDraft[],
  imageBackOff?: BackOff,
): ImageStep {
  const effects = [...toldOf(need, before), eventEffect(events.failed(need.container, startError.reason))];
  return { type: 'refused', startError, imageBackOff, effects };
}

/** What is known of the images that a Pod names, by container and by volume. */
export interface ImageVerdicts {
  readonly containers: Readonly<Record<string, ImageVerdict>>;
  readonly volumes: Readonly<Record<string, ImageVerdict>>;
}

/** Looks an image up; one that nobody judged is taken as present. */
export function imageVerdict({ containers, volumes }: ImageVerdicts, need: ImageNeed): ImageVerdict {
  const verdict = need.volume === undefined ? containers[need.container] : volumes[need.volume];
  return verdict ?? { type: 'present' };
}

/** Has the image of a running instance been changed in the spec? kubelet restarts a container for that alone. */
export function definitionChanged(container: Container, own: ContainerFacts): boolean {
  return own.current !== undefined && own.current.image !== (container.image ?? '');
}
