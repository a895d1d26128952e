import { noTransitions } from '../../history/no-transitions.ts';
import { isLost, isTerminalPhase } from '../../api/objects.ts';
import { parseTime } from '../../api/time.ts';
import { runLengthMs } from '../../history/run-length.ts';
import type { RecordedRun } from '../../history/recorded-run.ts';
import { timelineOf } from '../../history/timeline.ts';
import type { Timeline } from '../../history/timeline/model.ts';
import type { RecordedRuns, RunOnRecord } from '../../store/records/recorded-runs.ts';
import { podArgument } from '../select/pod-argument.ts';

interface RunQuery {
  readonly namespace: string;
  /** Names on the command line: `web`, `pod/web`, `web@1`, `uid:4f6`. Empty: the latest Pods. */
  readonly words: readonly string[];
  readonly nowMs: number;
}

/**
 * The runs to show, each once.
 * @throws {PodrunError} for a name without a run
 */
export function chosenRuns(records: RecordedRuns, { namespace, words, nowMs }: RunQuery): RunOnRecord[] {
  if (words.length === 0) return latestTogether(records, namespace, nowMs);
  const names = words.map((word) => podArgument(word, (plural) => `podrun timeline draws Pods only, not ${plural}`));
  return [...new Set(names)].map((name) => records.find(namespace, name));
}

/**
 * The Pods that lived at the same time as the youngest Pod, or as another Pod of the answer: most likely one `apply`
 * started them. In the order of their creation.
 */
function latestTogether(records: RecordedRuns, namespace: string, nowMs: number): RunOnRecord[] {
  const runs = records
    .list({ namespace })
    .filter(({ run }) => !run.includes('@'))
    .map((run) => {
      const fromMs = parseTime(run.pod.metadata.creationTimestamp);
      return { run, fromMs, toMs: fromMs + (runLengthMs(run.pod, nowMs) ?? 0) };
    })
    .toSorted((a, b) => b.fromMs - a.fromMs);
  const together: RunOnRecord[] = [];
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const { run, fromMs, toMs } of runs) {
    if (together.length > 0 && toMs < sinceMs) continue;
    sinceMs = fromMs;
    together.unshift(run);
  }
  return together;
}

/** A run, its record, and its timeline. */
export interface RunInTime {
  readonly run: RunOnRecord;
  readonly recorded: RecordedRun;
  readonly timeline: Timeline;
}

/**
 * Reads a run and its timeline. The timeline of a live Pod ends now.
 * @throws {PodrunError} when the record of the run is lost
 */
export function recordedRun(records: RecordedRuns, run: RunOnRecord, nowMs: number): RunInTime {
  const { status } = run.pod;
  // A Pod without an agent has only its record.
  const goesOn = !run.run.includes('@') && !isLost(status) && !isTerminalPhase(status.phase);
  const recorded = records.read(run);
  const timeline = timelineOf(recorded, goesOn ? nowMs : undefined);
  if (timeline !== undefined) return { run, recorded, timeline };
  throw noTransitions(run.run);
}
