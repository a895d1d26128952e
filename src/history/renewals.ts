import type { RecordedTransition } from './base/recorded-run.ts';

/** The transitions without the deletions after which a mirror Pod was made anew: the static Pod went on. */
export function withoutRenewals(transitions: readonly RecordedTransition[]): RecordedTransition[] {
  const last = transitions.findLastIndex(({ object }) => object.kind === 'Pod');
  return transitions.filter(({ type, object }, at) => type !== 'DELETED' || object.kind !== 'Pod' || at === last);
}
