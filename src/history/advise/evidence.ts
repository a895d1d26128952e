import type { Container, ContainerStateTerminated, ContainerStatus } from '../../api/generated/types.ts';
import { allContainerStatuses, isSidecar, type StoredEvent, type StoredPod } from '../../api/objects.ts';
import { parseTime } from '../../api/time.ts';
import type { RecordedUsage } from '../../machine/usage-totals.ts';
import type { HookRun } from '../../lifecycle/hook-run.ts';
import type { ProbeType } from '../../lifecycle/probes/probe.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import { killing } from '../../lifecycle/texts/events.ts';
import { TERMINATED } from '../../lifecycle/texts/terminated.ts';
import type { RecordedRun } from '../recorded-run.ts';

/** The measurements of a run, by container. */
export interface Evidence {
  /** The last recorded Pod. */
  readonly pod: StoredPod;
  readonly events: readonly StoredEvent[];
  /** Init containers first, in the order of the spec. Ephemeral containers are left out. */
  readonly containers: readonly ContainerEvidence[];
  /** The time between the first and the last line of the record, milliseconds. */
  readonly lengthMs: number;
}

export interface ContainerEvidence {
  readonly name: string;
  /** `spec.containers[0]` */
  readonly path: string;
  readonly spec: Container;
  readonly role: 'init' | 'sidecar' | 'main';
  /** The runs that have started, in order. */
  readonly runs: readonly ContainerRun[];
  /** The runtime's errors of failed starts, one per failure. */
  readonly failedStarts: readonly string[];
  readonly probes: readonly ProbeAttempt[];
  readonly hooks: readonly HookRun[];
  readonly usages: readonly RecordedUsage[];
}

/** One run of a container, with an end if it is recorded. Times are milliseconds since 1970. */
export interface ContainerRun {
  readonly restartCount: number;
  readonly startMs: number;
  readonly end: RunEnd | undefined;
  /** The first request to stop the container. */
  readonly stopMs: number | undefined;
}

export interface RunEnd {
  readonly ms: number;
  readonly exitCode: number;
  readonly reason: string | undefined;
}

/** Collects the evidence for advice. Undefined: the run has no record. */
export function evidenceOf(run: RecordedRun, usages: readonly RecordedUsage[]): Evidence | undefined {
  const pods = run.transitions.flatMap(({ object }) => (object.kind === 'Pod' ? [object] : []));
  const pod = pods.at(-1);
  const [first, last] = [run.transitions[0], run.transitions.at(-1)];
  if (pod === undefined || first === undefined || last === undefined) return undefined;
  const lists = [
    ...(pod.spec.initContainers ?? []).map((spec, index) => ({ spec, path: `spec.initContainers[${index}]` })),
    ...pod.spec.containers.map((spec, index) => ({ spec, path: `spec.containers[${index}]` })),
  ];
  const containers = lists.map(({ spec, path }): ContainerEvidence => {
    const { name } = spec;
    const isOurs = ({ container }: { readonly container: string }): boolean => container === name;
    const isInit = path.startsWith('spec.initContainers');
    return {
      name,
      path,
      spec,
      role: isInit ? (isSidecar(spec) ? 'sidecar' : 'init') : 'main',
      runs: runsOf(name, pods, stopsOf(name, run)),
      failedStarts: failedStartsOf(name, pods),
      probes: run.probes.filter(isOurs),
      hooks: run.hooks.filter(isOurs),
      usages: usages.filter(isOurs),
    };
  });
  const events = run.transitions.flatMap(({ object }) => (object.kind === 'Event' ? [object] : []));
  return { pod, events, containers, lengthMs: last.at - first.at };
}

/** The attempts of one probe of a container, by run. */
export function attemptsByRun({ probes }: ContainerEvidence, type: ProbeType): ProbeAttempt[][] {
  const byRun = new Map<number, ProbeAttempt[]>();
  for (const attempt of probes.filter(({ probe }) => probe === type)) {
    byRun.set(attempt.restartCount, [...(byRun.get(attempt.restartCount) ?? []), attempt]);
  }
  return [...byRun.values()];
}

/** True for a success, false for a failure. Undefined: the attempt does not count. */
export function wasGood({ result, decision }: ProbeAttempt): boolean | undefined {
  if (decision === 'abandoned') return undefined;
  if (result === 'success' || result === 'warning') return true;
  return result === 'error' ? undefined : false;
}

/** The name of the container that an Event is about. */
export function eventContainer({ involvedObject }: StoredEvent): string | undefined {
  return /\{([^{]+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1];
}

const KILLING = killing('', '').reason;

function stopsOf(container: string, { transitions }: RecordedRun): number[] {
  return transitions.flatMap(({ at, object }) =>
    object.kind === 'Event' && object.reason === KILLING && eventContainer(object) === container ? [at] : [],
  );
}

function failedStartsOf(container: string, pods: readonly StoredPod[]): string[] {
  const byTime = new Map<string, string>();
  for (const { status } of pods) {
    const found = allContainerStatuses(status).find(({ name }) => name === container);
    for (const { terminated } of found === undefined ? [] : statesIn(found)) {
      if (terminated?.reason !== TERMINATED.startError) continue;
      byTime.set(String(terminated.finishedAt), terminated.message ?? '');
    }
  }
  return [...byTime.values()];
}

function runsOf(container: string, pods: readonly StoredPod[], stops: readonly number[]): ContainerRun[] {
  const starts = new Map<number, number>();
  const ends = new Map<number, RunEnd>();
  for (const { status } of pods) {
    const found = allContainerStatuses(status).find(({ name }) => name === container);
    if (found === undefined) continue;
    for (const { restartCount, running, terminated } of statesIn(found)) {
      const startMs = parseTime(running?.startedAt ?? terminated?.startedAt ?? '');
      if (startMs > 0 && !starts.has(restartCount)) starts.set(restartCount, startMs);
      if (terminated === undefined) continue;
      const { exitCode, reason, finishedAt } = terminated;
      const endMs = parseTime(finishedAt ?? '');
      if (endMs > 0) ends.set(restartCount, { ms: endMs, exitCode, reason });
    }
  }
  return [...starts].map(([restartCount, startMs]) => {
    const end = ends.get(restartCount);
    const stopMs = stops.find((at) => at >= startMs && at <= (end?.ms ?? Number.POSITIVE_INFINITY) + 1);
    return { restartCount, startMs, end, stopMs };
  });
}

interface StateOfRun {
  readonly restartCount: number;
  readonly running: { readonly startedAt?: string | null | undefined } | undefined;
  readonly terminated: ContainerStateTerminated | undefined;
}

/** The current or last run of a container and the run before. */
function statesIn({ restartCount, state, lastState }: ContainerStatus): StateOfRun[] {
  const isNext = state?.running !== undefined || state?.terminated !== undefined;
  // A container that waits for its restart has the restartCount of its last run.
  const before = isNext ? restartCount - 1 : restartCount;
  return [
    { restartCount, running: state?.running, terminated: state?.terminated },
    { restartCount: before, running: undefined, terminated: lastState?.terminated },
  ].filter(({ restartCount: count }) => count >= 0);
}
