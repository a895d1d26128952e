import type { ContainerStateRunning, ContainerStateTerminated, ContainerStatus } from '../../api/index.ts';
import { TERMINATED } from '../../lifecycle/index.ts';

/** A run of a container that its status shows: it runs, or it has ended. */
export interface RunInStatus {
  /** The restart count: 0 is the first run. */
  readonly attempt: number;
  readonly running?: ContainerStateRunning | undefined;
  readonly terminated?: ContainerStateTerminated | undefined;
}

/**
 * The runs that a status shows, at most two: the run before, and the current or last one. A container that a
 * RestartAllContainers rule removed shows no end: its own was another one, or is not recorded.
 */
export function runsIn({ restartCount, state, lastState }: ContainerStatus): RunInStatus[] {
  const { running, terminated } = state ?? {};
  const isStarted = Boolean(running ?? terminated);
  const before = lastState?.terminated;
  const isEnd = before && before.reason !== TERMINATED.restartingAllContainers;
  // A container that waits for its restart has the restartCount of its last run.
  const attempt = isStarted ? restartCount - 1 : restartCount;
  return [
    ...(isEnd && attempt >= 0 ? [{ attempt, terminated: before }] : []),
    ...(isStarted ? [{ attempt: restartCount, running, terminated }] : []),
  ];
}

/** A run that has ended. */
export interface EndInStatus extends RunInStatus {
  readonly terminated: ContainerStateTerminated;
}

/** The ends of runs that a status shows, at most two. Undefined status: none. */
export function endsIn(status: ContainerStatus | undefined): EndInStatus[] {
  const runs = status === undefined ? [] : runsIn(status);
  return runs.flatMap(({ attempt, terminated }) => (terminated ? [{ attempt, terminated }] : []));
}
