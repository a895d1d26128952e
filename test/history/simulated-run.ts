import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { formatTime } from '../../src/api/base/time.ts';
import type { RecordedRun, RecordedTransition } from '../../src/history/base/recorded-run.ts';
import type { PodSimulation } from '../simulation/pod-simulation.ts';
import type { EventDraft } from '../../src/lifecycle/texts/events.ts';

/** The wall clock at the beginning of a simulation. */
const BEGAN_MS = Date.UTC(2026, 0, 1);

/** The record that a store would have of a simulated Pod so far. */
export function recordedIn(simulation: PodSimulation): RecordedRun {
  const { pod } = simulation.worker;
  const { namespace, name, uid } = pod.metadata;
  const { deletionTimestamp: _, ...metadata } = pod.metadata;
  const created: RecordedTransition = {
    at: BEGAN_MS,
    type: 'ADDED',
    object: { ...pod, metadata, status: { phase: 'Pending' } },
  };
  const later = simulation.seen.flatMap(({ atMs, status, event }): RecordedTransition[] => {
    const at = BEGAN_MS + atMs;
    if (event !== undefined) return [{ at, type: 'ADDED', object: storedEvent(pod, event, at) }];
    return status === undefined ? [] : [{ at, type: 'MODIFIED', object: { ...pod, metadata, status } }];
  });
  return {
    namespace,
    name,
    uid,
    transitions: [created, ...later],
    probes: simulation.attempts,
    hooks: simulation.hookRuns,
  };
}

function storedEvent(pod: StoredPod, draft: EventDraft, at: number): StoredEvent {
  const { namespace, name, uid } = pod.metadata;
  const { type, reason, message, container } = draft;
  const fieldPath = container === undefined ? {} : { fieldPath: `spec.containers{${container}}` };
  const creationTimestamp = formatTime(at);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${at}`, namespace, uid: `${uid}.${at}`, resourceVersion: '1', creationTimestamp },
    involvedObject: { kind: 'Pod', namespace, name, uid, ...fieldPath },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: creationTimestamp,
    lastTimestamp: creationTimestamp,
  };
}
