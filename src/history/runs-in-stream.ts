import { resolvedUid, type StoredEvent, type StoredPod, type WatchEvent } from '../api/index.ts';
import { latestMomentIn, type RecordedRun, type RecordedTransition } from './base/recorded-run.ts';

/** A run in the making. */
interface Gathered {
  readonly pod: StoredPod;
  readonly transitions: RecordedTransition[];
}

/**
 * The runs in a stream of watch events, as `apply -o json` prints them, in the order of their beginning. Watch events
 * have no times: each gets the latest time in its object, or the time of the previous event.
 * @param events Pods and Events; other kinds are skipped
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
    uid: pod.metadata.uid,
    transitions: withoutRenewals([...early.filter(({ object }) => podUidOf(object) === uid), ...transitions]),
    probes: [],
    hooks: [],
  }));
}

function podUidOf(object: StoredPod | StoredEvent): string {
  return object.kind === 'Pod' ? resolvedUid(object) : (object.involvedObject.uid ?? '');
}

/** The transitions without deletions after which the mirror Pod was created again: the static Pod kept running. */
export function withoutRenewals(transitions: readonly RecordedTransition[]): RecordedTransition[] {
  const last = transitions.findLastIndex(({ object }) => object.kind === 'Pod');
  return transitions.filter(({ type, object }, at) => type !== 'DELETED' || object.kind !== 'Pod' || at === last);
}
