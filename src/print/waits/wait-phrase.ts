import type { StoredPod } from '../../api/objects.ts';
import type { Wanted } from '../../lifecycle/requests/hopeless.ts';
import { goalPhrase } from './goal-phrase.ts';
import type { PodRecords } from './evidence.ts';
import type { WaitPhrase } from './progress-pace.ts';

/** More Pods than that are only counted. */
const NAMED_MAX = 3;

/** A Pod that somebody waits for. */
export interface WaitedPod {
  readonly pod: StoredPod;
  readonly records: PodRecords;
}

/**
 * What one Pod is waiting for, as of that moment.
 * @param wanted how it is to become; undefined: at its end
 */
export function podPhrase({ pod, records }: WaitedPod, nowMs: number, wanted?: Wanted): WaitPhrase {
  const { name } = pod.metadata;
  const text = goalPhrase(pod, wanted, nowMs, records);
  return { text: `pod/${name}: ${text}`, key: `${name} ${withoutCounts(text)}` };
}

/** Attempts, time left and results change while the same thing is waited for. */
function withoutCounts(text: string): string {
  return text.replace(/, last result: .*(?=\)$)/s, '').replaceAll(/\b\d[\w.]*\b/g, '#');
}

/** What all of several are waiting for, in one line. Undefined: nothing. */
export function joinPhrases(phrases: readonly WaitPhrase[]): WaitPhrase | undefined {
  if (phrases.length === 0) return undefined;
  const named = phrases.slice(0, NAMED_MAX);
  const more = phrases.length - named.length;
  const rest = more === 0 ? [] : [`${more} more`];
  return {
    text: `waiting for ${[...named.map(({ text }) => text), ...rest].join('; ')}`,
    key: [...named.map(({ key }) => key), ...rest].join('\n'),
  };
}
