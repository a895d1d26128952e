import { allContainerStatuses, type StoredPod } from '../api/index.ts';
import { lastStateOf, type RecordedRun } from './base/recorded-run.ts';
import { countIn, FAULT_INJECTED, type RequestCount, REQUESTS_COUNTED } from '../lifecycle/index.ts';

/** The effects of faults that a user of some Pods would have noticed. */
export interface Noticed {
  /** The number of faults on purpose, as the Events of the Pods count them. */
  readonly faults: number;
  /** The restarts of all containers. */
  readonly restarts: number;
  /**
   * The longest time in which a Pod was not Ready, until it was Ready again, in milliseconds. Undefined: no Pod was.
   * The end of a Pod is no such time.
   */
  readonly readyAgainMs: number | undefined;
  /** The requests to each Service that has sent at least one response. */
  readonly requests: readonly RequestCount[];
}

export function noticedIn(runs: readonly RecordedRun[]): Noticed {
  const gaps = runs.flatMap(gapsIn);
  return {
    faults: sum(runs.map(faultsIn)),
    restarts: sum(runs.map(restartsIn)),
    readyAgainMs: gaps.length === 0 ? undefined : Math.max(...gaps),
    requests: runs.flatMap(requestsIn),
  };
}

/** The times in which the Pod was not Ready any more, each until it was Ready again. */
function gapsIn({ transitions }: RecordedRun): number[] {
  const gaps: number[] = [];
  let wasReady = false;
  let lostAt: number | undefined;
  for (const { at, object } of transitions) {
    if (object.kind !== 'Pod') continue;
    const isReady = isPodReady(object);
    if (isReady && lostAt !== undefined) gaps.push(at - lostAt);
    if (isReady) lostAt = undefined;
    else if (wasReady) lostAt = at;
    wasReady = isReady;
  }
  return gaps;
}

function isPodReady({ status: { conditions = [] } }: StoredPod): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function faultsIn({ transitions }: RecordedRun): number {
  const counts = new Map<string, number>();
  for (const { object } of transitions) {
    if (object.kind === 'Event' && object.reason === FAULT_INJECTED)
      counts.set(object.metadata.name, object.count ?? 1);
  }
  return sum([...counts.values()]);
}

function requestsIn({ transitions }: RecordedRun): RequestCount[] {
  return transitions.flatMap(({ object }) => {
    return object.kind === 'Event' && object.reason === REQUESTS_COUNTED ? countIn(object.message ?? '') : [];
  });
}

function restartsIn(run: RecordedRun): number {
  return sum(allContainerStatuses(lastStateOf(run)?.status ?? {}).map(({ restartCount }) => restartCount));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
