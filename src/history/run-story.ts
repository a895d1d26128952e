import { type StoredPod, allContainers } from '../api/objects.ts';
import { type RunExit, type Happening, happeningsIn } from './happenings.ts';
import type { RecordedRun } from './recorded-run.ts';
import { isOver, lastStateOf } from './run-length.ts';

/** One run of a container. Times are milliseconds after the creation of the Pod. */
export interface AttemptStory {
  readonly startedMs: number | undefined;
  readonly exitedMs: number | undefined;
  readonly exit: RunExit | undefined;
}

export interface ContainerStory {
  /** The runs in order of their start. Runs without a record are missing. */
  readonly attempts: readonly AttemptStory[];
  /** The values of `ready`, in order. */
  readonly ready: readonly boolean[];
  /** The waiting reasons, each once. */
  readonly waits: readonly string[];
  readonly restarts: number;
}

export interface ConditionStory {
  readonly statuses: readonly string[];
  /** The reason of the last status. */
  readonly reason: string;
  /** The first time that the status was True. */
  readonly trueMs: number | undefined;
}

/** The happenings of a run, grouped by container, condition and event. */
export interface RunStory {
  /** The last recorded state of the Pod. */
  readonly pod: StoredPod;
  readonly happenings: readonly Happening[];
  readonly phases: readonly string[];
  readonly isOver: boolean;
  /** The time from the creation of the Pod to its last state. */
  readonly lengthMs: number;
  readonly conditions: ReadonlyMap<string, ConditionStory>;
  /** Every container of the Pod, in the order of the spec. */
  readonly containers: ReadonlyMap<string, ContainerStory>;
  /** The reasons of Events with their counts. */
  readonly events: ReadonlyMap<string, number>;
}

/** Groups the happenings of a run. Undefined: the Pod has no recorded state. */
export function storyOf(run: RecordedRun): RunStory | undefined {
  const pod = lastStateOf(run);
  if (pod === undefined) return undefined;
  const happenings = happeningsIn(run);
  const phases = happenings.flatMap((happening) => (happening.what === 'phase' ? [happening.phase] : []));
  const lengthMs = happenings.findLast(({ what }) => what !== 'event' && what !== 'deleted')?.atMs ?? 0;
  return {
    pod,
    happenings,
    phases,
    isOver: isOver(run),
    lengthMs,
    conditions: conditionStories(pod, happenings),
    containers: new Map(allContainers(pod.spec).map(({ name }) => [name, containerStory(name, happenings)])),
    events: eventCounts(happenings),
  };
}

function conditionStories(pod: StoredPod, happenings: readonly Happening[]): Map<string, ConditionStory> {
  const turns = happenings.filter((happening) => happening.what === 'condition');
  return new Map(
    [...new Set(turns.map(({ type }) => type))].map((type) => {
      const own = turns.filter((turn) => turn.type === type);
      const reason = pod.status.conditions?.find((condition) => condition.type === type)?.reason ?? '';
      const trueMs = own.find(({ status }) => status === 'True')?.atMs;
      return [type, { statuses: own.map(({ status }) => status), reason, trueMs }];
    }),
  );
}

function containerStory(name: string, happenings: readonly Happening[]): ContainerStory {
  const attempts: AttemptStory[] = [];
  const ready: boolean[] = [];
  const waits = new Set<string>();
  for (const happening of happenings) {
    if (!('container' in happening) || happening.container !== name) continue;
    const index = happening.attempt - 1;
    const before = attempts[index] ?? { startedMs: undefined, exitedMs: undefined, exit: undefined };
    if (happening.what === 'started') attempts[index] = { ...before, startedMs: happening.atMs };
    else if (happening.what === 'exited') {
      attempts[index] = {
        ...before,
        exitedMs: happening.atMs,
        exit: { exitCode: happening.exitCode, reason: happening.reason },
      };
    } else if (happening.what === 'waiting') waits.add(happening.reason);
    else ready.push(happening.what === 'ready');
  }
  return { attempts, ready, waits: [...waits], restarts: Math.max(0, attempts.length - 1) };
}

function eventCounts(happenings: readonly Happening[]): Map<string, number> {
  const counts = new Map<string, number>();
  /** The latest version of each Event: a higher count is a new version. */
  const latest = new Map<string, { reason: string; count: number }>();
  for (const happening of happenings) {
    if (happening.what !== 'event') continue;
    const { metadata, reason = '', count = 1, series } = happening.event;
    latest.set(metadata.name, { reason, count: series?.count ?? count });
  }
  for (const { reason, count } of latest.values()) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return counts;
}
