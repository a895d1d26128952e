import type { StoredEvent, StoredPod, WatchEvent } from '../api/objects.ts';
import type { RecordedRun, RecordedTransition } from './recorded-run.ts';
import { latestMomentIn } from './transition-time.ts';

/** A run that is being put together. */
interface Gathered {
  readonly pod: StoredPod;
  readonly transitions: RecordedTransition[];
}

/**
 * The runs that a stream of watch events tells of, as `apply -o json` prints it, in the order in which they begin. Its
 * lines have no times of their own: each has the latest time that it tells, or that of the one before.
 * @param events Pods and Events; others are passed over
 */
export function runsInStream(events: Iterable<WatchEvent<StoredPod | StoredEvent>>): RecordedRun[] {
  const runs = new Map<string, Gathered>();
  /** Events that came before their Pod. */
  const early: RecordedTransition[] = [];
  let at = 0;
  for (const { type, object } of events) {
    if (object.kind !== 'Pod' && object.kind !== 'Event') continue;
    at = Math.max(at, latestMomentIn(object));
    const transition = { at, type, object };
    const run = runs.get(podUidOf(object)) ?? (object.kind === 'Pod' ? { pod: object, transitions: [] } : undefined);
    if (run === undefined) early.push(transition);
    else run.transitions.push(transition);
    if (run !== undefined && object.kind === 'Pod') runs.set(podUidOf(object), run);
  }
  return [...runs].map(([uid, { pod, transitions }]) => ({
    namespace: pod.metadata.namespace,
    name: pod.metadata.name,
    uid,
    transitions: [...early.filter(({ object }) => podUidOf(object) === uid), ...transitions],
    probes: [],
    hooks: [],
  }));
}

function podUidOf(object: StoredPod | StoredEvent): string {
  return object.kind === 'Pod' ? object.metadata.uid : (object.involvedObject.uid ?? '');
}
