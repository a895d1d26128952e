import type { JsonObject, StoredEndpointSlice, StoredPod, StoredService } from '../../api/index.ts';
import { readyConditionOf } from '../base/pod-state.ts';
import type { Owned } from '../base/reconcile.ts';
import { mayBeEndpoint } from './pod-endpoint.ts';

/** The annotation with the time of the change that endpoints follow. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/**
 * The time of the change that calls for the next write: the creation of a new Service, else the first of the Pods'
 * changes of readiness that the slices do not show yet. Undefined: another change, for example a deletion. A cluster's
 * controller remembers the times of its last sync; here they follow from the slices.
 * Source: staging/src/k8s.io/endpointslice/trigger_time_tracker.go ComputeEndpointLastChangeTriggerTime.
 */
export function triggerTime(
  service: StoredService,
  pods: readonly StoredPod[],
  slices: readonly StoredEndpointSlice[],
): string | undefined {
  if (slices.length === 0) return service.metadata.creationTimestamp;
  const shown = new Map(
    slices.flatMap(({ endpoints }) =>
      (endpoints ?? []).map(({ targetRef, conditions }) => [targetRef?.uid, conditions?.serving]),
    ),
  );
  const times = pods.flatMap((pod) => {
    const ready = readyConditionOf(pod);
    const serving = shown.get(pod.metadata.uid);
    const isNew = serving === undefined ? mayBeEndpoint(pod) : serving !== (ready?.status === 'True');
    return isNew && ready?.lastTransitionTime ? [ready.lastTransitionTime] : [];
  });
  // Times of whole seconds in UTC: their order is that of the text.
  return times.toSorted()[0];
}

/** The patch of the annotations of an object that tells the time. */
export function triggerPatch({ metadata }: Owned, time: string | undefined): JsonObject | null {
  if (time !== undefined) return { [TRIGGER_TIME]: time };
  const hasOthers = Object.keys(metadata.annotations ?? {}).some((key) => key !== TRIGGER_TIME);
  return hasOthers ? { [TRIGGER_TIME]: null } : null;
}
