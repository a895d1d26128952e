import { PodrunError } from '../../api/errors.ts';
import { isLost, isTerminalPhase } from '../../api/objects.ts';
import { parseTime } from '../../api/time.ts';
import { runLengthMs } from '../../history/run-length.ts';
import type { RecordedRun } from '../../history/recorded-run.ts';
import { timelineOf } from '../../history/timeline.ts';
import type { Timeline } from '../../history/timeline/model.ts';
import type { RecordedRuns, RunOnRecord } from '../../store/recorded-runs.ts';
import { podArgument } from '../select/pod-argument.ts';

interface Choice {
  readonly namespace: string;
  /** As the user names them: `web`, `pod/web`, `web@1`, `uid:4f6`. None: the latest Pods. */
  readonly words: readonly string[];
  readonly nowMs: number;
}

/**
 * The runs that are meant, each once.
 * @throws {PodrunError} for a name that no run has
 */
export function chosenRuns(records: RecordedRuns, { namespace, words, nowMs }: Choice): RunOnRecord[] {
  if (words.length === 0) return latestTogether(records, namespace, nowMs);
  const names = words.map((word) => podArgument(word, (plural) => `there is no timeline of ${plural}, only of Pods`));
  return [...new Set(names)].map((name) => records.find(namespace, name));
}

/**
 * The Pods on record that lived at the same time as the youngest, or as one of those: most likely one `apply` started
 * them. In the order in which they were created.
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

/** A run, all that is recorded of it, and what follows. */
export interface RunInTime {
  readonly run: RunOnRecord;
  readonly recorded: RecordedRun;
  readonly timeline: Timeline;
}

/**
 * A run with its timeline; of a Pod that goes on, up to now.
 * @throws {PodrunError} when the record of the run has been lost
 */
export function recordedRun(records: RecordedRuns, run: RunOnRecord, nowMs: number): RunInTime {
  const { status } = run.pod;
  // Of a Pod that nobody runs any more only what was is known.
  const goesOn = !run.run.includes('@') && !isLost(status) && !isTerminalPhase(status.phase);
  const recorded = records.read(run);
  const timeline = timelineOf(recorded, goesOn ? nowMs : undefined);
  if (timeline !== undefined) return { run, recorded, timeline };
  throw new PodrunError(`error: nothing of run ${run.run} is on record but the Pod itself`);
}
