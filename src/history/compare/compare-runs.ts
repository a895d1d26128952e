import { type ManifestChange, manifestChanges } from './manifest-changes.ts';
import { compareOrder } from './compare-order.ts';
import { compareTimes } from './compare-times.ts';
import type { Difference, Tolerance } from './difference.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { type AttemptStory, type ContainerStory, type RunStory, storyOf } from '../run-story.ts';

export interface RunComparison {
  readonly differences: readonly Difference[];
  /** The changes of the manifest, which may explain the differences. */
  readonly manifest: readonly ManifestChange[];
}

/**
 * Compares the meaning of two runs: phases, conditions, containers with their runs, events, the order of steps, and
 * times. Repetitions by restarts count once, as restarts. Undefined: one of the runs has no recorded state.
 */
export function compareRuns(a: RecordedRun, b: RecordedRun, tolerance: Tolerance): RunComparison | undefined {
  const [one, other] = [storyOf(a), storyOf(b)];
  if (one === undefined || other === undefined) return undefined;
  return {
    differences: [
      ...comparePods(one, other),
      ...compareContainers(one, other),
      ...compareEvents(one, other),
      ...compareOrder(one, other, tolerance),
      ...compareTimes(one, other, tolerance),
    ],
    manifest: manifestChanges(one.pod, other.pod),
  };
}

function comparePods(a: RunStory, b: RunStory): Difference[] {
  const restarted = hasMoreRestarts(a, b);
  const types = [...new Set([...a.conditions.keys(), ...b.conditions.keys()])];
  return [
    ...differs({ kind: 'phases', subject: 'Pod', what: 'phases' }, a.phases.join(', '), b.phases.join(', ')),
    ...differs({ kind: 'reason', subject: 'Pod', what: 'reason' }, a.pod.status.reason, b.pod.status.reason),
    ...types.flatMap((type) => {
      const what = { kind: 'condition', subject: 'Pod', what: `condition ${type}` } as const;
      const [one, other] = [a.conditions.get(type), b.conditions.get(type)];
      // Each restart changes conditions once more: the difference in restarts covers that.
      const [before, after] = restarted
        ? [one?.statuses.at(-1), other?.statuses.at(-1)]
        : [turns(one?.statuses), turns(other?.statuses)];
      if (before !== after) return differs(what, before, after);
      return differs({ ...what, what: `reason of condition ${type}` }, one?.reason, other?.reason);
    }),
  ];
}

/** The values in order. Many values are cut to the first ones and the last. */
function turns(statuses: readonly string[] = []): string {
  if (statuses.length <= 6) return statuses.join(', ');
  return `${statuses.slice(0, 3).join(', ')}, … ${statuses.at(-1)} (${statuses.length} turns)`;
}

function hasMoreRestarts(a: RunStory, b: RunStory): boolean {
  const restartsOf = ({ containers }: RunStory): string =>
    [...containers.values()].map(({ restarts }) => restarts).join();
  return restartsOf(a) !== restartsOf(b);
}

function compareContainers(a: RunStory, b: RunStory): Difference[] {
  const names = [...new Set([...a.containers.keys(), ...b.containers.keys()])];
  return names.flatMap((name) => {
    const [one, other] = [a.containers.get(name), b.containers.get(name)];
    const what = { kind: 'container', subject: name, what: 'container' } as const;
    if (one === undefined || other === undefined) return differs(what, presence(one), presence(other));
    return compareContainer(name, one, other);
  });
}

const presence = (story: ContainerStory | undefined): string | undefined => story && 'in the Pod';

function compareContainer(subject: string, a: ContainerStory, b: ContainerStory): Difference[] {
  const hasStarted = ({ attempts }: ContainerStory): string => (attempts.length === 0 ? 'never started' : 'started');
  const sameRestarts = a.restarts === b.restarts;
  return [
    ...differs({ kind: 'container', subject, what: 'container' }, hasStarted(a), hasStarted(b)),
    ...differs({ kind: 'restarts', subject, what: 'restarts' }, String(a.restarts), String(b.restarts)),
    ...compareExits(subject, a, b),
    ...differs({ kind: 'waiting', subject, what: 'waited for' }, a.waits.join(', '), b.waits.join(', ')),
    ...(sameRestarts ? differs({ kind: 'ready', subject, what: 'ready' }, readiness(a), readiness(b)) : []),
  ];
}

/** Compares the exits of runs. Merges consecutive runs with the same difference. */
function compareExits(subject: string, a: ContainerStory, b: ContainerStory): Difference[] {
  const both = Math.min(a.attempts.length, b.attempts.length);
  const endings = Array.from({ length: both }, (_, index) => [ending(a.attempts[index]), ending(b.attempts[index])]);
  const isSingle = Math.max(a.attempts.length, b.attempts.length) === 1;
  const found: Difference[] = [];
  for (let first = 0; first < both; first += 1) {
    const [before, after] = endings[first] ?? [];
    let last = first;
    while (last + 1 < both && endings[last + 1]?.join('\n') === endings[first]?.join('\n')) last += 1;
    const runs = first === last ? `run ${first + 1}` : `runs ${first + 1} to ${last + 1}`;
    found.push(...differs({ kind: 'exit', subject, what: isSingle ? 'exit' : `exit of ${runs}` }, before, after));
    first = last;
  }
  return found;
}

/** The exit of a run, for people. Leaves out a reason that follows from the code. */
function ending(attempt: AttemptStory | undefined): string {
  if (attempt?.exit === undefined) return 'none';
  const { exitCode, reason } = attempt.exit;
  return ['', 'Completed', 'Error'].includes(reason) ? `code ${exitCode}` : `code ${exitCode} (${reason})`;
}

function readiness({ ready }: ContainerStory): string {
  return turns(ready.map((is) => (is ? 'yes' : 'no'))) || 'never';
}

/** Compares which Events came. Their counts depend on time. */
function compareEvents(a: RunStory, b: RunStory): Difference[] {
  const reasons = [...new Set([...a.events.keys(), ...b.events.keys()])];
  return reasons.flatMap((reason) => {
    if (a.events.has(reason) === b.events.has(reason)) return [];
    const what = { kind: 'event', subject: 'Pod', what: `event ${reason}` } as const;
    return differs(what, times(a.events.get(reason)), times(b.events.get(reason)));
  });
}

function times(count: number | undefined): string | undefined {
  if (count === undefined) return undefined;
  return count === 1 ? 'once' : `${count} times`;
}

function differs(
  what: Pick<Difference, 'kind' | 'subject' | 'what'>,
  a: string | undefined,
  b: string | undefined,
): Difference[] {
  if ((a ?? '') === (b ?? '')) return [];
  return [{ ...what, a: a || 'none', b: b || 'none' }];
}
