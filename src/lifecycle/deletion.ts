import { isTerminalPhase, type StoredMeta, type StoredPod } from '../api/objects.ts';
import { formatTime, parseTime } from '../api/time.ts';

/** What a request to delete a Pod comes to. */
export type Deletion =
  /** Nothing runs, or nobody is to be asked: the object goes at once. */
  | { readonly type: 'remove' }
  /** The Pod is told to end by changing its metadata; its agent removes it when that is done. */
  | { readonly type: 'mark'; readonly pod: StoredPod }
  /** It is being deleted already, and the request asks for nothing sooner. */
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
  if (!isOwned || graceSeconds === 0) return { type: 'remove' };
  if (metadata.deletionTimestamp !== undefined) return shortened(pod, graceSeconds);
  if (spec.nodeName === undefined || isTerminalPhase(status.phase)) return { type: 'remove' };
  const wanted = graceSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  // A grace period of 0 in the spec asks for force, and a negative one for the shortest.
  if (wanted === 0) return { type: 'remove' };
  const seconds = Math.max(1, wanted);
  return mark(pod, {
    deletionTimestamp: formatTime(nowMs + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
    ...(metadata.generation !== undefined && { generation: metadata.generation + 1 }),
  });
}

function shortened(pod: StoredPod, graceSeconds: number | undefined): Deletion {
  const { deletionTimestamp, deletionGracePeriodSeconds: present = 0 } = pod.metadata;
  if (graceSeconds === undefined || graceSeconds >= present) return { type: 'pending' };
  const requestedMs = parseTime(deletionTimestamp ?? '') - present * 1000;
  return mark(pod, {
    deletionTimestamp: formatTime(requestedMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  });
}

function mark(pod: StoredPod, changes: Partial<StoredMeta>): Deletion {
  return { type: 'mark', pod: { ...pod, metadata: { ...pod.metadata, ...changes } } };
}
