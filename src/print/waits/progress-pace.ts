/** What is being waited for, as of now. */
export interface WaitPhrase {
  /** `pod/web: container main to become ready (readiness probe failed 3 times in a row, …)`. */
  readonly text: string;
  /** What it is about, without what only counts: the same as long as the same thing is waited for. */
  readonly key: string;
}

/** Something is said when it has been waited for this long: what comes and goes by itself is not worth a line. */
const SETTLED_MS = 1000;
/** Progress of the same thing. */
const PROGRESS_MS = 10_000;
/** A sign of life where nothing changes: some CI systems end a job that says nothing. */
const ALIVE_MS = 60_000;

export interface Pace {
  /** What is waited for, and since when. */
  readonly key: string | undefined;
  readonly sinceMs: number;
  readonly said: (WaitPhrase & { readonly atMs: number }) | undefined;
}

/** @param quietMs nothing is said before so long from now */
export function newPace(nowMs: number, quietMs: number): Pace {
  return { key: undefined, sinceMs: nowMs + quietMs, said: undefined };
}

/**
 * Is it time for a line in a log that nobody can take back? One whenever something else is waited for, at most one
 * every ten seconds with progress of the same, and one a minute where nothing changes at all.
 * @param nowMs on any clock that only goes forward
 */
export function pace(
  before: Pace,
  phrase: WaitPhrase,
  nowMs: number,
): { readonly next: Pace; readonly isDue: boolean } {
  const isNew = phrase.key !== before.key;
  const sinceMs = isNew ? Math.max(nowMs, before.said === undefined ? before.sinceMs : nowMs) : before.sinceMs;
  const next: Pace = { ...before, key: phrase.key, sinceMs };
  if (!isDue(next, phrase, nowMs)) return { next, isDue: false };
  return { next: { ...next, said: { ...phrase, atMs: nowMs } }, isDue: true };
}

function isDue({ sinceMs, said }: Pace, phrase: WaitPhrase, nowMs: number): boolean {
  if (said?.key !== phrase.key) return nowMs - sinceMs >= SETTLED_MS;
  return nowMs - said.atMs >= (said.text === phrase.text ? ALIVE_MS : PROGRESS_MS);
}
