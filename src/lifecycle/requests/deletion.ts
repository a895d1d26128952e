import {
  compareText,
  formatTime,
  hasFinalizers,
  isKeptByFinalizers,
  isTerminalPhase,
  parseTime,
  type StoredMeta,
  type StoredPod,
} from '../../api/index.ts';
import { EVICTED } from '../texts/pod-reasons.ts';

/** The consequence of a request to delete a Pod. */
type Deletion =
  /**
   * Nothing of the Pod runs, or the deletion is forced: the object is marked and removed at once. With finalizers, the
   * object goes with the last of them.
   */
  | { readonly type: 'remove'; readonly pod: StoredPod }
  /** The Pod is asked to terminate by a change of its metadata. Its agent removes the object afterwards. */
  | { readonly type: 'mark'; readonly pod: StoredPod }
  /** The Pod is being deleted already and the request is not for a shorter time, or finalizers keep the object. */
  | { readonly type: 'pending' };

export interface DeletionRequest {
  /** The seconds until the Pod is killed. 0 removes the Pod by force. Undefined: the value of its spec. */
  readonly graceSeconds: number | undefined;
  /** True when an agent runs the Pod and ends it. */
  readonly isOwned: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The default that the API server writes into every spec. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * Plans the deletion of a Pod as the API server does. A second request can only shorten the grace period. Source:
 * apiserver/pkg/registry/rest/delete.go BeforeDelete, pkg/registry/core/pod/strategy.go CheckGracefulDelete.
 */
export function planDeletion(pod: StoredPod, { graceSeconds, isOwned, nowMs }: DeletionRequest): Deletion {
  const { metadata, spec, status } = pod;
  if (isKeptByFinalizers(pod)) return { type: 'pending' };
  const remove: Deletion = { type: 'remove', pod: marked(pod, nowMs, 0) };
  if (!isOwned || graceSeconds === 0) return remove;
  if (isTerminalPhase(status.phase)) return remove;
  if (metadata.deletionTimestamp !== undefined) return shortened(pod, graceSeconds, nowMs);
  if (spec.nodeName === undefined) return remove;
  const wanted = graceSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  // A grace period of 0 in the spec means force, a negative one means the shortest.
  if (wanted === 0) return remove;
  const seconds = Math.max(1, wanted);
  return { type: 'mark', pod: marked(pod, nowMs + seconds * 1000, seconds) };
}

/**
 * True for a deleted Pod that has ended and that no finalizer keeps. Its agent removes it at once: a Pod that remains
 * was left by an agent that was killed.
 */
export function isRemnant({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp !== undefined && isTerminalPhase(status.phase) && !hasFinalizers({ metadata });
}

/** Shortens a deletion. The new grace period counts from the first request. At least one second is left. */
function shortened(pod: StoredPod, graceSeconds: number | undefined, nowMs: number): Deletion {
  const { deletionTimestamp, deletionGracePeriodSeconds: present = 0 } = pod.metadata;
  if (graceSeconds === undefined || graceSeconds >= present) return { type: 'pending' };
  const untilMs = parseTime(deletionTimestamp ?? '') + (graceSeconds - present) * 1000;
  return { type: 'mark', pod: marked(pod, untilMs, Math.max(1, Math.ceil((untilMs - nowMs) / 1000))) };
}

/**
 * Marks an object as deleted without grace period: its processes have ended, it has none, or the deletion is forced. An
 * object that is marked so already does not change.
 */
export function withoutGrace<T extends { metadata: StoredMeta }>(object: T, nowMs: number): T {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 ? object : marked(object, nowMs, 0);
}

/** Only the first deletion of an object increases its generation. */
function marked<T extends { metadata: StoredMeta }>(object: T, untilMs: number, deletionGracePeriodSeconds: number): T {
  const { deletionTimestamp, generation } = object.metadata;
  const isFirst = deletionTimestamp === undefined && generation !== undefined;
  const changes = { deletionTimestamp: formatTime(untilMs), deletionGracePeriodSeconds };
  return { ...object, metadata: { ...object.metadata, ...changes, ...(isFirst && { generation: generation + 1 }) } };
}

/**
 * The ended Pods beyond a limit: evicted Pods first, then the oldest. Source: pkg/controller/podgc/gc_controller.go
 * gcTerminated, byEvictionAndCreationTimestamp.
 * @param pods all Pods: only ended Pods count
 * @param keep the number of ended Pods that may stay
 */
export function surplusPods(pods: readonly StoredPod[], keep: number): StoredPod[] {
  const ended = pods.filter(({ status }) => isTerminalPhase(status.phase));
  return ended.toSorted(byEvictionAndCreation).slice(0, Math.max(0, ended.length - keep));
}

function byEvictionAndCreation(a: StoredPod, b: StoredPod): number {
  const evicted = Number(b.status.reason === EVICTED) - Number(a.status.reason === EVICTED);
  // All timestamps of podrun have one format.
  return evicted || compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
}
