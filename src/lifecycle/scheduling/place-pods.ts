import type { StoredPod } from '../../api/index.ts';
import { priorityOf } from '../node/priority.ts';
import { attempt, type AttemptOptions, type SchedulingAttempt } from './attempt.ts';
import { type Snapshot, stateOf, withPods } from './base/snapshot.ts';

/** A Pod, and where it goes. */
export interface PlacedPod {
  readonly pod: StoredPod;
  /** The node that it gets. Undefined: it stays Pending. */
  readonly nodeName: string | undefined;
  /** The first attempt. */
  readonly attempt: SchedulingAttempt;
  /** The Pods that go for it. */
  readonly victims: readonly StoredPod[];
}

/** Places Pods one after the other, as the scheduler takes them: by priority, then in their order. */
export function placePods(pods: readonly StoredPod[], snapshot: Snapshot, options?: AttemptOptions): PlacedPod[] {
  const queue = pods.toSorted((one, other) => priorityOf(other) - priorityOf(one));
  let cluster = snapshot;
  return queue.map((pod, order): PlacedPod => {
    const first = attempt(pod, cluster, { ...options, order });
    const chosen = first.type === 'waits' ? first.chosen : undefined;
    const victims = chosen?.victims ?? [];
    const nodeName = first.type === 'fits' ? first.nodeName : chosen?.nodeName;
    if (nodeName !== undefined) {
      const staying = (stateOf(cluster, nodeName)?.pods ?? []).filter((other) => !victims.includes(other));
      cluster = withPods(cluster, nodeName, [...staying, { ...pod, spec: { ...pod.spec, nodeName } }]);
    }
    return { pod, nodeName, attempt: first, victims };
  });
}
