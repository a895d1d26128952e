import type { StoredEvent, StoredPod } from '../../api/objects.ts';
import { parseTime } from '../../api/time.ts';
import type { RecordedRun } from '../recorded-run.ts';

/** A state of a Pod, and when it was written. */
export interface PodState {
  readonly atMs: number;
  readonly pod: StoredPod;
}

/** A run in the form that everything here is computed from: times count from the creation of the Pod. */
export interface Axis {
  readonly run: RecordedRun;
  readonly createdAtMs: number;
  readonly endMs: number;
  /** In order; the object as it was deleted is not among them. */
  readonly states: readonly PodState[];
  readonly events: ReadonlyArray<{ readonly atMs: number; readonly event: StoredEvent }>;
  /** The Pod as it was last: with all its containers. */
  readonly pod: StoredPod;
  /** When a moment was that an object tells of, see {@link momentOf}; undefined where there is none. */
  readonly moment: (text: string | null | undefined, toldAtMs: number) => number | undefined;
}

/**
 * Puts a run on its axis.
 * @param nowMs how far to go, milliseconds since 1970, for a Pod that goes on; undefined: as far as is recorded
 * @returns undefined for a run without any state of the Pod
 */
export function axisOf(run: RecordedRun, nowMs: number | undefined): Axis | undefined {
  const isPod = (object: StoredPod | StoredEvent): object is StoredPod => object.kind === 'Pod';
  const first = run.transitions.find(({ object }) => isPod(object));
  if (first === undefined) return undefined;
  const createdAtMs = momentOf(first.object.metadata.creationTimestamp, first.at) ?? first.at;
  const states = run.transitions.flatMap(({ at, type, object }) =>
    isPod(object) && type !== 'DELETED' ? [{ atMs: Math.max(0, at - createdAtMs), pod: object }] : [],
  );
  const events = run.transitions.flatMap(({ at, type, object }) =>
    !isPod(object) && type !== 'DELETED' ? [{ atMs: Math.max(0, at - createdAtMs), event: object }] : [],
  );
  const pod = states.at(-1)?.pod;
  if (pod === undefined) return undefined;
  const probeEnds = run.probes.map(({ time, durationMs }) => parseTime(time) + durationMs - createdAtMs);
  // A run that was replaced ends with the Pod, not with the day on which the next one came.
  const ends = [states.at(-1)?.atMs ?? 0, ...probeEnds, ...(nowMs === undefined ? [] : [nowMs - createdAtMs])];
  const moment: Axis['moment'] = (text, toldAtMs) => {
    const atMs = momentOf(text, toldAtMs + createdAtMs);
    return atMs === undefined ? undefined : Math.max(0, atMs - createdAtMs);
  };
  return { run, createdAtMs, endMs: Math.max(...ends), states, events, pod, moment };
}

/**
 * When something was that an object tells of. A node tells whole seconds only: then it was when the object was written,
 * or at the end of that second, whichever came first.
 * @param toldAtMs when the object was written
 * @returns undefined where there is no time, or one before there were computers: so runtimes say that nothing started
 */
function momentOf(text: string | null | undefined, toldAtMs: number): number | undefined {
  const atMs = text ? parseTime(text) : Number.NaN;
  if (Number.isNaN(atMs) || atMs <= 0) return undefined;
  return text?.includes('.') === true ? atMs : Math.max(atMs, Math.min(toldAtMs, atMs + 999));
}
