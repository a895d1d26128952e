import type { Container } from '../../api/index.ts';
import type { RecordedUsage } from '../../machine/index.ts';
import type { ProbeAttempt, ProbeType } from '../../lifecycle/index.ts';
import type { RecordedRun } from '../base/recorded-run.ts';
import { hasStarted } from '../story/container-story.ts';
import type { AttemptExit, AttemptStory, ContainerStory, RunStory } from '../story/model.ts';
import { storyOf } from '../story/run-story.ts';

/** The story of a run with its measurements. */
export interface Evidence {
  readonly story: RunStory;
  /** Init containers first, in the order of the spec. Ephemeral containers are left out. */
  readonly containers: readonly ContainerEvidence[];
}

/** The story of a container, with what the rules measure. */
export interface ContainerEvidence extends ContainerStory {
  /** `spec.containers[0]` */
  readonly path: string;
  readonly spec: Container;
  /** The runs that have started, in order. */
  readonly runs: readonly AttemptStory[];
  /** The runtime's errors of failed starts, one per failure. */
  readonly failedStarts: readonly string[];
  readonly probeAttempts: readonly ProbeAttempt[];
  readonly usages: readonly RecordedUsage[];
}

/** A run that has ended, and whose end is recorded. */
export type EndedAttempt = AttemptStory & { readonly exit: AttemptExit };

/** Collects the evidence for advice. Undefined: the run has no record. */
export function evidenceOf(run: RecordedRun, usages: readonly RecordedUsage[]): Evidence | undefined {
  const story = storyOf(run);
  if (story === undefined) return undefined;
  const { spec } = story.pod;
  const lists = [
    ...(spec.initContainers ?? []).map((container, index) => ({ container, path: `spec.initContainers[${index}]` })),
    ...spec.containers.map((container, index) => ({ container, path: `spec.containers[${index}]` })),
  ];
  const containers = lists.flatMap(({ container, path }): ContainerEvidence[] => {
    const own = story.containers.find(({ name }) => name === container.name);
    if (own === undefined) return [];
    const isOurs = (recorded: { readonly container: string }): boolean => recorded.container === own.name;
    return [
      {
        ...own,
        path,
        spec: container,
        runs: own.attempts.filter(hasStarted),
        failedStarts: own.attempts.filter((attempt) => !hasStarted(attempt)).map(({ exit }) => exit?.message ?? ''),
        probeAttempts: run.probes.filter(isOurs),
        usages: usages.filter(isOurs),
      },
    ];
  });
  return { story, containers };
}

/** The first request to stop a run. Undefined: the run ended by itself, or still runs. */
export function stopOf({ stops }: ContainerStory, { attempt }: AttemptStory): number | undefined {
  return stops.find((stop) => stop.attempt === attempt)?.fromMs;
}

export function isEnded(run: AttemptStory): run is EndedAttempt {
  return run.exit !== undefined;
}

/** The length of a run in seconds. */
export function secondsOf({ fromMs, toMs }: AttemptStory): number {
  return (toMs - fromMs) / 1000;
}

/** The attempts of one probe of a container, by run. */
export function attemptsByRun({ probeAttempts }: ContainerEvidence, type: ProbeType): ProbeAttempt[][] {
  const byRun = new Map<number, ProbeAttempt[]>();
  for (const attempt of probeAttempts.filter(({ probe }) => probe === type)) {
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
