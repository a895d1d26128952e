import { isHeld } from '../../api/finalizers.ts';
import { isTerminalPhase, type StoredMeta, type StoredPod } from '../../api/objects.ts';
import { formatTime, parseTime } from '../../api/time.ts';

/** What a request to delete a Pod comes to. */
export type Deletion =
  /**
   * Nothing runs, or nobody is to be asked: the object goes at once, after readers saw that it is being deleted. With
   * finalizers, it goes when the last of them is removed.
   */
  | { readonly type: 'remove'; readonly pod: StoredPod }
  /** The Pod is told to end by changing its metadata; its agent removes it when that is done. */
  | { readonly type: 'mark'; readonly pod: StoredPod }
  /** It is being deleted already, and the request asks for nothing sooner; or its finalizers hold it. */
  | { readonly type: 'pending' };

export interface DeletionRequest {
  /** Seconds that the Pod gets to end; 0 removes it by force. Undefined: as many as its spec says. */
  readonly graceSeconds: number | undefined;
  /** Somebody runs the Pod who will see to its end. */
  readonly isOwned: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** kubelet's own default, which the API server writes into every spec. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * What the API server makes of a request to delete a Pod. A second request can only shorten the grace period.
 * Source: apiserver/pkg/registry/rest/delete.go BeforeDelete, pkg/registry/core/pod/strategy.go CheckGracefulDelete.
 */
export function planDeletion(pod: StoredPod, { graceSeconds, isOwned, nowMs }: DeletionRequest): Deletion {
  const { metadata, spec, status } = pod;
  if (isHeld(pod)) return { type: 'pending' };
  const remove: Deletion = { type: 'remove', pod: marked(pod, nowMs, 0) };
  if (!isOwned || graceSeconds === 0) return remove;
  if (metadata.deletionTimestamp !== undefined) return shortened(pod, graceSeconds, nowMs);
  if (spec.nodeName === undefined || isTerminalPhase(status.phase)) return remove;
  const wanted = graceSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  // A grace period of 0 in the spec asks for force, and a negative one for the shortest.
  if (wanted === 0) return remove;
  const seconds = Math.max(1, wanted);
  return { type: 'mark', pod: marked(pod, nowMs + seconds * 1000, seconds) };
}

/** The grace period is counted from the first request: what is left of it from now on, but at least a second. */
function shortened(pod: StoredPod, graceSeconds: number | undefined, nowMs: number): Deletion {
  const { deletionTimestamp, deletionGracePeriodSeconds: present = 0 } = pod.metadata;
  if (graceSeconds === undefined || graceSeconds >= present) return { type: 'pending' };
  const untilMs = parseTime(deletionTimestamp ?? '') + (graceSeconds - present) * 1000;
  return { type: 'mark', pod: marked(pod, untilMs, Math.max(1, Math.ceil((untilMs - nowMs) / 1000))) };
}

/**
 * The object as it is when nobody is given time any more: its processes have ended, it has none, or it is deleted by
 * force. One that is there already stays as it is.
 */
export function markedGone<T extends { metadata: StoredMeta }>(object: T, nowMs: number): T {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 ? object : marked(object, nowMs, 0);
}

/** Only the first deletion of an object is a new generation of it. */
function marked<T extends { metadata: StoredMeta }>(object: T, untilMs: number, deletionGracePeriodSeconds: number): T {
  const { deletionTimestamp, generation } = object.metadata;
  const isFirst = deletionTimestamp === undefined && generation !== undefined;
  const changes = { deletionTimestamp: formatTime(untilMs), deletionGracePeriodSeconds };
  return { ...object, metadata: { ...object.metadata, ...changes, ...(isFirst && { generation: generation + 1 }) } };
}
