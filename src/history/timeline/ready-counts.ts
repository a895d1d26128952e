import type { RunStory, Stretch } from '../story/model.ts';

/** A time during which the number of Ready Pods stayed the same. Milliseconds since `originMs`. */
export interface ReadyCount extends Stretch {
  readonly ready: number;
}

/**
 * The number of Ready Pods among these, from the creation of the first to the last record. A Pod that has ended is not
 * Ready.
 * @param originMs the beginning of the axis, milliseconds since 1970
 */
export function readyCounts(timelines: readonly RunStory[], originMs: number): ReadyCount[] {
  const changes = timelines.flatMap(({ createdAtMs, conditions }) =>
    conditions
      .filter(({ type, status }) => type === 'Ready' && status === 'True')
      .flatMap(({ fromMs, toMs }) => [
        { atMs: createdAtMs - originMs + fromMs, by: 1 },
        { atMs: createdAtMs - originMs + toMs, by: -1 },
      ]),
  );
  const endMs = Math.max(...timelines.map((timeline) => timeline.createdAtMs - originMs + timeline.endMs));
  const counts: ReadyCount[] = [];
  let ready = 0;
  let fromMs = Math.min(...timelines.map(({ createdAtMs }) => createdAtMs - originMs));
  for (const { atMs, by } of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    if (atMs > fromMs) counts.push({ fromMs, toMs: atMs, ready });
    fromMs = Math.max(fromMs, atMs);
    ready += by;
  }
  return endMs > fromMs ? [...counts, { fromMs, toMs: endMs, ready }] : counts;
}
