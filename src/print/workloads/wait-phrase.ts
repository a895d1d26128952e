import type { StoredPod } from '../../api/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import type { Root, WantedState } from '../../lifecycle/index.ts';
import { goalPhrase } from '../waits/goal-phrase.ts';
import { rootName, rootPhrase } from './root-phrases.ts';

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

/** A description of the current wait. */
export interface WaitPhrase {
  /** `pod/web: container main to become ready (readiness probe failed 3 times in a row, …)`. */
  readonly text: string;
  /** The text without changing numbers: equal while the wait is for the same thing. */
  readonly key: string;
}

/** The age from which a wait is worth a line: shorter waits end by themselves. */
const SETTLED_MS = 1000;
/** The period of lines about progress of the same wait. */
const PROGRESS_MS = 10_000;
/** The period of lines without progress: some CI systems end a job without output. */
const ALIVE_MS = 60_000;

export interface Pace {
  /** The key of the current wait, and its beginning. */
  readonly key: string | undefined;
  readonly sinceMs: number;
  readonly lastLine: (WaitPhrase & { readonly atMs: number }) | undefined;
}

/** @param quietMs time from now without lines */
export function newPace(nowMs: number, quietMs: number): Pace {
  return { key: undefined, sinceMs: nowMs + quietMs, lastLine: undefined };
}

/**
 * Decides whether it is time for a line in a log. There is a line for each new wait, one every ten seconds for progress
 * of the same wait, and one every minute without progress.
 * @param nowMs time of a monotonic clock
 */
export function pace(
  before: Pace,
  phrase: WaitPhrase,
  nowMs: number,
): { readonly next: Pace; readonly isDue: boolean } {
  const isNew = phrase.key !== before.key;
  const sinceMs = isNew ? Math.max(nowMs, before.lastLine === undefined ? before.sinceMs : nowMs) : before.sinceMs;
  const next: Pace = { ...before, key: phrase.key, sinceMs };
  if (!isDue(next, phrase, nowMs)) return { next, isDue: false };
  return { next: { ...next, lastLine: { ...phrase, atMs: nowMs } }, isDue: true };
}

function isDue({ sinceMs, lastLine }: Pace, phrase: WaitPhrase, nowMs: number): boolean {
  if (lastLine?.key !== phrase.key) return nowMs - sinceMs >= SETTLED_MS;
  return nowMs - lastLine.atMs >= (lastLine.text === phrase.text ? ALIVE_MS : PROGRESS_MS);
}
