import type { StoredPod } from '../../../api/index.ts';
import type { Snapshot } from '../base/snapshot.ts';
import type { ClusterChange, WatchedKinds } from './cluster-event.ts';

/** The facts of hints beside the Pod and the change. */
export type HintFacts = Pick<Snapshot, 'namespaceLabels'>;

/**
 * Says whether a change may make a Pod schedulable that a plugin has rejected (Queue), or certainly does not (Skip).
 */
export type QueueingHint<T> = (pod: StoredPod, change: ClusterChange<T>, facts: HintFacts) => boolean;

/** The hints of a plugin, by the kind of the object that changes. Other changes do not help. */
export type PluginHints = { readonly [Kind in keyof WatchedKinds]?: QueueingHint<WatchedKinds[Kind]> };

/** Looks at added and changed objects alone. */
export function whenPresent<T>(
  hint: (pod: StoredPod, after: T, before: T | undefined, facts: HintFacts) => boolean,
): QueueingHint<T> {
  return (pod, { before, after }, facts) => after !== undefined && hint(pod, after, before, facts);
}

/** Any object that is added or changed may help. */
export const ANY_PRESENT: QueueingHint<unknown> = (_pod, { after }) => after !== undefined;

/** Any object that is added may help. */
export const ANY_ADDED: QueueingHint<unknown> = (_pod, { before, after }) =>
  before === undefined && after !== undefined;

/** True when two values have the same JSON. */
export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
