import type { StoredPod } from '../../api/index.ts';
import type { Root, WantedState } from '../../lifecycle/index.ts';
import { rootName, rootPhrase } from './root-phrases.ts';
import { goalPhrase } from '../waits/goal-phrase.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import type { WaitPhrase } from '../waits/progress-pace.ts';

/** The number of Pods to name. Further ones are only counted. */
const NAMED_MAX = 3;

/** A Pod to wait for. */
export interface WaitedPod {
  readonly pod: StoredPod;
  readonly records: RecordedEvidence;
}

/**
 * The reason why one Pod has not reached the wanted state, at the given time.
 * @param wanted the wanted state; undefined: the end of the Pod
 */
export function podPhrase({ pod, records }: WaitedPod, nowMs: number, wanted?: WantedState): WaitPhrase {
  const { name } = pod.metadata;
  const text = goalPhrase(pod, wanted, nowMs, records);
  return { text: `pod/${name}: ${text}`, key: `${name} ${withoutCounts(text)}` };
}

/** The reason why one root has not reached the wanted state, at the given time. */
export function rootWait(
  root: Root,
  nowMs: number,
  wanted: WantedState | undefined,
  records: (object: Root['object']) => RecordedEvidence,
): WaitPhrase {
  const text = rootPhrase(root, wanted, nowMs, records);
  return { text: `${rootName(root)}: ${text}`, key: `${root.object.metadata.name} ${withoutCounts(text)}` };
}

/** Replaces numbers and quoted names, and removes the last result: these change during one wait. */
function withoutCounts(text: string): string {
  return text
    .replace(/, last result: .*/s, (result) => (result.endsWith(')') ? ')' : result))
    .replaceAll(/"[^"]*"/g, '#')
    .replaceAll(/\b\d\w*(?:\.+\w+)*/g, '#');
}

/** Joins the phrases of several Pods to one line. Undefined without phrases. */
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
