import {
  type NodeLane,
  nodeLanes,
  noTransitions,
  type RecordedRun,
  runLengthMs,
  type Timeline,
  timelineOf,
} from '../../history/index.ts';
import {
  DEFAULT_NAMESPACE,
  isLost,
  isTerminalPhase,
  isWorkload,
  parseTime,
  PodrunError,
  type StoredEvent,
} from '../../api/index.ts';
import type { FileStore, RecordedRuns, RunOnRecord } from '../../store/index.ts';
import { mustFindType, podArgument } from '../select/resource-arguments.ts';
import { workloadGroups } from '../../print/index.ts';
import { topWorkload, type WorkloadsAbove } from '../../apiserver/index.ts';

interface RunQuery {
  readonly namespace: string;
  /** Names on the command line: `web`, `pod/web`, `web@1`, `uid:4f6`, `deployment/web`. Empty: the latest Pods. */
  readonly words: readonly string[];
  readonly nowMs: number;
  readonly workloadsAbove: WorkloadsAbove;
}

/** A run, and the workload that made its Pod. */
export interface ChosenRun {
  readonly run: RunOnRecord;
  /** The topmost workload above the Pod: `deployment/web`. Undefined: no workload made it. */
  readonly workload: string | undefined;
}

/**
 * The runs to show, each once. The Pods of a workload stand together.
 * @throws {PodrunError} for a name without a run
 */
export function chosenRuns(records: RecordedRuns, query: RunQuery): ChosenRun[] {
  const { words } = query;
  const runs =
    words.length === 0
      ? latestTogether(records, query)
      : [...new Set(words)].flatMap((word) => runsNamed(records, word, query));
  const distinct = [...new Map(runs.map((run) => [run.pod.metadata.uid, run])).values()];
  const chosen = distinct.map((run) => ({ run, workload: topWorkload(query.workloadsAbove, run.pod) }));
  return workloadGroups(chosen).flatMap(({ members }) => members);
}

/** The run of a Pod, or the runs of all Pods of a workload. */
function runsNamed(records: RecordedRuns, word: string, { namespace, workloadsAbove }: RunQuery): RunOnRecord[] {
  const [type = '', name] = word.split('/');
  const isOfWorkload = name !== undefined && name !== '' && isWorkload(mustFindType(type));
  if (!isOfWorkload) {
    const refusal = (plural: string): string => `podrun timeline draws Pods and workloads only, not ${plural}`;
    return [records.find(namespace, podArgument(word, refusal))];
  }
  const { kind } = mustFindType(type);
  const runs = records
    .list({ namespace })
    .filter(({ pod }) => workloadsAbove(pod).some((above) => above.kind === kind && above.name === name));
  if (runs.length > 0) return runs.toSorted((a, b) => createdMs(a) - createdMs(b));
  throw new PodrunError('NotFound', `no Pods of ${kind.toLowerCase()} "${name}" are on record`);
}

/** The time of the creation of its Pod, milliseconds since 1970. */
export function createdMs({ pod }: RunOnRecord): number {
  return parseTime(pod.metadata.creationTimestamp);
}

/**
 * The Pods that lived at the same time as the latest one, or as another Pod of the answer: most likely one `apply`
 * started them. A Pod that is gone is one of them if a workload made it: another Pod may have replaced it. In the order
 * of their creation.
 */
function latestTogether(records: RecordedRuns, { namespace, nowMs, workloadsAbove }: RunQuery): RunOnRecord[] {
  const lives = records
    .list({ namespace })
    .filter((run) => isPresent(run) || workloadsAbove(run.pod).length > 0)
    .map((run) => ({ run, fromMs: createdMs(run), toMs: createdMs(run) + (runLengthMs(run.pod, nowMs) ?? 0) }))
    .toSorted((a, b) => b.toMs - a.toMs);
  const together: typeof lives = [];
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const life of lives) {
    if (life.toMs < sinceMs) break;
    sinceMs = together.length === 0 ? life.fromMs : Math.min(sinceMs, life.fromMs);
    together.push(life);
  }
  return together.toSorted((a, b) => a.fromMs - b.fromMs).map(({ run }) => run);
}

/** True for the run of a Pod that still exists. */
export function isPresent({ run }: RunOnRecord): boolean {
  return !run.includes('@');
}

/** A run, its record, and its timeline. */
export interface RunInTime extends ChosenRun {
  readonly recorded: RecordedRun;
  readonly timeline: Timeline;
}

/**
 * Reads a run and its timeline. The timeline of a live Pod ends now.
 * @throws {PodrunError} when the record of the run is lost
 */
export function recordedRun(records: RecordedRuns, { run, workload }: ChosenRun, nowMs: number): RunInTime {
  const { status } = run.pod;
  // A Pod without an agent has only its record.
  const isAlive = isPresent(run) && !isLost(status) && !isTerminalPhase(status.phase);
  const recorded = records.read(run);
  const timeline = timelineOf(recorded, isAlive ? nowMs : undefined);
  if (timeline !== undefined) return { run, workload, recorded, timeline };
  throw noTransitions(run.run);
}

/** The lanes of the nodes of these runs. None for one node. */
export function lanesOf(store: FileStore, runs: readonly RunInTime[]): NodeLane[] {
  const timelines = runs.map(({ timeline }) => timeline);
  const nodes = store.list('nodes').map(({ metadata }) => metadata.name ?? '');
  const originMs = Math.min(...timelines.map(({ createdAtMs }) => createdAtMs));
  const events = nodes.length < 2 ? [] : store.list<StoredEvent>('events', { namespace: DEFAULT_NAMESPACE });
  return nodeLanes({ timelines, nodes, events, originMs });
}
