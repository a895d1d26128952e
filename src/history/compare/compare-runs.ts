import { type Difference, type ManifestChange, manifestChanges, type Tolerance } from './difference.ts';
import { compareOrder, compareTimes } from './compare-order.ts';
import type { RecordedRun } from '../base/recorded-run.ts';
import type { RunExit, RunStory } from '../story/model.ts';
import { eventCounts, recordedExit, restartsOf, runCountOf, storyOf } from '../story/run-story.ts';

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
  const restarted = restartsIn(a) !== restartsIn(b);
  const types = [...new Set([...a.conditions, ...b.conditions].map(({ type }) => type))];
  return [
    ...differs({ kind: 'phases', subject: 'Pod', what: 'phases' }, phasesIn(a), phasesIn(b)),
    ...differs({ kind: 'reason', subject: 'Pod', what: 'reason' }, a.pod.status.reason, b.pod.status.reason),
    ...types.flatMap((type) => {
      const what = { kind: 'condition', subject: 'Pod', what: `condition ${type}` } as const;
      const [one, other] = [statusesOf(a, type), statusesOf(b, type)];
      // Each restart changes conditions once more: the difference in restarts covers that.
      const [before, after] = restarted ? [one.at(-1), other.at(-1)] : [turns(one), turns(other)];
      if (before !== after) return differs(what, before, after);
      return differs({ ...what, what: `reason of condition ${type}` }, reasonOf(a, type), reasonOf(b, type));
    }),
  ];
}

function phasesIn({ phases }: RunStory): string {
  return phases.map(({ phase }) => phase).join(', ');
}

function statusesOf({ conditions }: RunStory, type: string): string[] {
  return conditions.filter((span) => span.type === type).map(({ status }) => status);
}

function reasonOf({ pod }: RunStory, type: string): string | undefined {
  return pod.status.conditions?.find((condition) => condition.type === type)?.reason;
}

/** The values in order. Many values are cut to the first ones and the last. */
function turns(statuses: readonly string[]): string {
  if (statuses.length <= 6) return statuses.join(', ');
  return `${statuses.slice(0, 3).join(', ')}, … ${statuses.at(-1)} (${statuses.length} turns)`;
}

function restartsIn(story: RunStory): string {
  return story.containers.map(({ name }) => restartsOf(story, name)).join();
}

function compareContainers(a: RunStory, b: RunStory): Difference[] {
  const names = [...new Set([...a.containers, ...b.containers].map(({ name }) => name))];
  return names.flatMap((subject) => {
    const what = { kind: 'container', subject, what: 'container' } as const;
    const [one, other] = [a, b].map((story) => presence(story, subject));
    if (one !== other) return differs(what, one, other);
    const [restarts, others] = [restartsOf(a, subject), restartsOf(b, subject)];
    return [
      ...differs(what, hasRun(a, subject), hasRun(b, subject)),
      ...differs({ ...what, kind: 'restarts', what: 'restarts' }, `${restarts}`, `${others}`),
      ...compareExits(subject, a, b),
      ...differs({ ...what, kind: 'waiting', what: 'waited for' }, waitsOf(a, subject), waitsOf(b, subject)),
      ...(restarts === others
        ? differs({ ...what, kind: 'ready', what: 'ready' }, readiness(a, subject), readiness(b, subject))
        : []),
    ];
  });
}

function presence({ containers }: RunStory, container: string): string | undefined {
  return containers.some(({ name }) => name === container) ? 'in the Pod' : undefined;
}

function hasRun(story: RunStory, container: string): string {
  return runCountOf(story, container) === 0 ? 'never started' : 'started';
}

/** Compares the exits of runs. Merges consecutive runs with the same difference. */
function compareExits(subject: string, a: RunStory, b: RunStory): Difference[] {
  const counts = [runCountOf(a, subject), runCountOf(b, subject)];
  const both = Math.min(...counts);
  const isSingle = Math.max(...counts) === 1;
  const endings = Array.from({ length: both }, (_, index) =>
    [a, b].map((story) => endOf(recordedExit(story, subject, index + 1))),
  );
  const differences: Difference[] = [];
  for (let first = 0; first < both; first += 1) {
    const [before, after] = endings[first] ?? [];
    let last = first;
    while (last + 1 < both && endings[last + 1]?.join('\n') === endings[first]?.join('\n')) last += 1;
    const runs = first === last ? `run ${first + 1}` : `runs ${first + 1} to ${last + 1}`;
    differences.push(...differs({ kind: 'exit', subject, what: isSingle ? 'exit' : `exit of ${runs}` }, before, after));
    first = last;
  }
  return differences;
}

/** The exit of a run, for people. Leaves out a reason that follows from the code. */
function endOf(exit: RunExit | undefined): string {
  if (exit === undefined) return 'none';
  const { exitCode, reason } = exit;
  return ['', 'Completed', 'Error'].includes(reason) ? `code ${exitCode}` : `code ${exitCode} (${reason})`;
}

/** The waiting reasons of a container, each once. */
function waitsOf({ happenings }: RunStory, container: string): string {
  const reasons = happenings.flatMap((one) =>
    one.what === 'waiting' && one.container === container ? [one.reason] : [],
  );
  return [...new Set(reasons)].join(', ');
}

function readiness({ happenings }: RunStory, container: string): string {
  const values = happenings.flatMap((one) => {
    if (one.what !== 'ready' && one.what !== 'unready') return [];
    return one.container === container ? [one.what === 'ready' ? 'yes' : 'no'] : [];
  });
  return turns(values) || 'never';
}

/** Compares which Events came. Their counts depend on time. */
function compareEvents(a: RunStory, b: RunStory): Difference[] {
  const [one, other] = [eventCounts(a), eventCounts(b)];
  const reasons = [...new Set([...one.keys(), ...other.keys()])];
  return reasons.flatMap((reason) => {
    if (one.has(reason) === other.has(reason)) return [];
    const what = { kind: 'event', subject: 'Pod', what: `event ${reason}` } as const;
    return differs(what, times(one.get(reason)), times(other.get(reason)));
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
