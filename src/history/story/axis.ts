import { parseTime, type StoredEvent, type StoredPod } from '../../api/index.ts';
import type { RecordedRun } from '../base/recorded-run.ts';
import type { PodState } from './model.ts';

/** A run with times that count from the creation of the Pod. The other files of this folder use this form. */
export interface Axis {
  readonly run: RecordedRun;
  readonly createdAtMs: number;
  readonly endMs: number;
  /** The states in order. The deleted object is not a state. */
  readonly states: readonly PodState[];
  /** The last state of the Pod, which has all its containers. */
  readonly pod: StoredPod;
  /** Converts a timestamp of an object, see {@link momentOf}. Undefined: the object has none. */
  readonly moment: (text: string | null | undefined, writtenAtMs: number) => number | undefined;
}

/**
 * Converts a run to its axis.
 * @param nowMs the end of the axis of a Pod that still runs, milliseconds since 1970; undefined: the last record
 * @returns undefined for a run without a recorded state of the Pod
 */
export function axisOf(run: RecordedRun, nowMs: number | undefined): Axis | undefined {
  const isPod = (object: StoredPod | StoredEvent): object is StoredPod => object.kind === 'Pod';
  const first = run.transitions.find(({ object }) => isPod(object));
  if (first === undefined) return undefined;
  const createdAtMs = momentOf(first.object.metadata.creationTimestamp, first.at) ?? first.at;
  const states = run.transitions.flatMap(({ at, type, object }) =>
    isPod(object) && type !== 'DELETED' ? [{ atMs: Math.max(0, at - createdAtMs), pod: object }] : [],
  );
  const pod = states.at(-1)?.pod;
  if (pod === undefined) return undefined;
  const probeEnds = run.probes.map(({ time, durationMs }) => parseTime(time) + durationMs - createdAtMs);
  // The end of the Pod, not its replacement, which may have come days later.
  const ends = [states.at(-1)?.atMs ?? 0, ...probeEnds, ...(nowMs === undefined ? [] : [nowMs - createdAtMs])];
  const moment: Axis['moment'] = (text, writtenAtMs) => {
    const atMs = momentOf(text, writtenAtMs + createdAtMs);
    return atMs === undefined ? undefined : Math.max(0, atMs - createdAtMs);
  };
  return { run, createdAtMs, endMs: Math.max(...ends), states, pod, moment };
}

/**
 * Converts a timestamp. Nodes write whole seconds: the time is then when the object was written, or the end of that
 * second, whichever came first.
 * @param writtenAtMs the time when the object was written
 * @returns undefined without a timestamp, or for 1970, which runtimes use for a failed start
 */
function momentOf(text: string | null | undefined, writtenAtMs: number): number | undefined {
  const atMs = text ? parseTime(text) : Number.NaN;
  if (Number.isNaN(atMs) || atMs <= 0) return undefined;
  return text?.includes('.') === true ? atMs : Math.max(atMs, Math.min(writtenAtMs, atMs + 999));
}
