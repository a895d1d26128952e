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
