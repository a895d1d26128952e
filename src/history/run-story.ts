import type { StoredPod } from '../api/objects.ts';
import { allContainers } from '../api/objects.ts';
import { type Exit, type Happening, happeningsIn } from './happenings.ts';
import type { RecordedRun } from './recorded-run.ts';
import { isOver, lastStateOf } from './run-length.ts';

/** One run of a container. Times are milliseconds after the creation of the Pod. */
export interface AttemptStory {
  readonly startedMs: number | undefined;
  readonly exitedMs: number | undefined;
  readonly exit: Exit | undefined;
}

export interface ContainerStory {
  /** In the order in which they began; an entry is missing where nothing was told. */
  readonly attempts: readonly AttemptStory[];
  /** Whether it was ready, turn by turn. */
  readonly ready: readonly boolean[];
  /** What it waited for, each reason once. */
  readonly waits: readonly string[];
  readonly restarts: number;
}

export interface ConditionStory {
  readonly statuses: readonly string[];
  /** Why it had its last status. */
  readonly reason: string;
  /** When it first was True. */
  readonly trueMs: number | undefined;
}

/** What happened in a run, by what it happened to. */
export interface RunStory {
  /** The Pod as it was last, but for its end. */
  readonly pod: StoredPod;
  readonly happenings: readonly Happening[];
  readonly phases: readonly string[];
  readonly isOver: boolean;
  /** From the creation of the Pod to its last state. */
  readonly lengthMs: number;
  readonly conditions: ReadonlyMap<string, ConditionStory>;
  /** Every container of the Pod, in the order of the spec. */
  readonly containers: ReadonlyMap<string, ContainerStory>;
  /** Reasons of Events, with how often they came. */
  readonly events: ReadonlyMap<string, number>;
}

/** Undefined where no state of the Pod is on record. */
export function storyOf(run: RecordedRun): RunStory | undefined {
  const pod = lastStateOf(run);
  if (pod === undefined) return undefined;
  const happenings = happeningsIn(run);
  const phases = happenings.flatMap((one) => (one.what === 'phase' ? [one.phase] : []));
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
  const turns = happenings.filter((one) => one.what === 'condition');
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
  for (const one of happenings) {
    if (!('container' in one) || one.container !== name) continue;
    const index = one.attempt - 1;
    const before = attempts[index] ?? { startedMs: undefined, exitedMs: undefined, exit: undefined };
    if (one.what === 'started') attempts[index] = { ...before, startedMs: one.atMs };
    else if (one.what === 'exited') {
      attempts[index] = { ...before, exitedMs: one.atMs, exit: { exitCode: one.exitCode, reason: one.reason } };
    } else if (one.what === 'waiting') waits.add(one.reason);
    else ready.push(one.what === 'ready');
  }
  return { attempts, ready, waits: [...waits], restarts: Math.max(0, attempts.length - 1) };
}

function eventCounts(happenings: readonly Happening[]): Map<string, number> {
  const counts = new Map<string, number>();
  /** Each Event as it was written last: one that is counted up is written again. */
  const latest = new Map<string, { reason: string; count: number }>();
  for (const one of happenings) {
    if (one.what !== 'event') continue;
    const { metadata, reason = '', count = 1, series } = one.event;
    latest.set(metadata.name, { reason, count: series?.count ?? count });
  }
  for (const { reason, count } of latest.values()) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return counts;
}
