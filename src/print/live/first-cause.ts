import type { ContainerState } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { CONDITION } from '../../lifecycle/texts/condition-reasons.ts';
import { TERMINATED } from '../../lifecycle/texts/terminated.ts';
import { WAITING } from '../../lifecycle/texts/waiting.ts';
import { timestampMs } from '../age.ts';
import { excerpt } from '../excerpt.ts';
import { type ContainerView, containersOf, nameContainer } from './container-view.ts';
import { describeEnd, reasonOfEnd } from '../exit-code.ts';
import { conditionOf } from '../pod-status.ts';

/** What keeps a Pod from being Ready or from succeeding, or what made it fail. */
export interface Cause {
  /** The container to blame; undefined: it is nothing in the Pod. */
  readonly container: string | undefined;
  /** One clause, for example `container main exited with code 3`. */
  readonly text: string;
}

/** How many of the last lines of a log are quoted. */
const QUOTED_LINES = 3;

/**
 * One sentence without its full stop: why a Pod failed or cannot become Ready, with the last words of the container to
 * blame, for example `container main exited with code 127 (command not found); its last output: sh: npx: not found`.
 * @param logTail last lines of the output of the container that `causeOf` names; empty where there are none
 */
export function firstCause(pod: StoredPod, logTail: readonly string[]): string {
  const cause = causeOf(pod);
  if (cause === undefined) return `its phase is ${pod.status.phase ?? 'Unknown'}`;
  const lines = logTail.map((text) => excerpt(text.trim())).filter((text) => text !== '');
  const isNews = lines.length > 0 && !cause.text.includes(lines.at(-1) ?? '');
  return isNews ? `${cause.text}; its last output: ${lines.slice(-QUOTED_LINES).join(' ⏎ ')}` : cause.text;
}

/** The first thing that went wrong in a Pod; undefined when nothing did, not yet, or nobody knows. */
export function causeOf(pod: StoredPod): Cause | undefined {
  if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Unknown') return undefined;
  return podCause(pod) ?? endCause(pod) ?? waitingCause(pod) ?? readinessCause(pod);
}

/** A reason that the Pod itself carries: a deadline, an eviction, a scheduler that finds no place. */
function podCause({ status }: StoredPod): Cause | undefined {
  if (status.reason) {
    const text = [status.reason, status.message?.trim()].filter(Boolean).join(': ');
    return { container: undefined, text };
  }
  const scheduled = conditionOf(status, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  return { container: undefined, text: `it cannot be scheduled: ${scheduled.message ?? scheduled.reason ?? ''}` };
}

/** An ephemeral container, whatever becomes of it, changes nothing for its Pod. */
function containersThatCount(pod: StoredPod): ContainerView[] {
  return containersOf(pod).filter(({ role }) => role !== 'ephemeral');
}

/** The container that failed first. A sidecar is not to blame when others ended as well: it was stopped. */
function endCause(pod: StoredPod): Cause | undefined {
  const failures = containersThatCount(pod)
    .map((view) => ({ view, ended: lastEnd(view.status?.state, view.status?.lastState) }))
    .filter(
      ({ ended }) => ended !== undefined && ended.exitCode !== 0 && ended.reason !== TERMINATED.restartingAllContainers,
    )
    .sort((a, b) => weight(a.view) - weight(b.view) || endMs(a.ended) - endMs(b.ended));
  const [first] = failures;
  if (first?.ended === undefined) return undefined;
  const { view, ended } = first;
  const why = reasonOfEnd(ended);
  const text = `${nameContainer(view)} ${describeEnd(ended)}${why === undefined ? '' : `: ${excerpt(why)}`}`;
  return { container: view.container.name, text };
}

/** How the latest run of a container ended, unless a later one is under way and well. */
function lastEnd(
  state: ContainerState | undefined,
  lastState: ContainerState | undefined,
): ContainerState['terminated'] {
  if (state?.running) return undefined;
  return state?.terminated ?? lastState?.terminated;
}

function weight({ role }: ContainerView): number {
  return role === 'sidecar' ? 1 : 0;
}

function endMs(ended: ContainerState['terminated']): number {
  return timestampMs(ended?.finishedAt) ?? Number.POSITIVE_INFINITY;
}

/** A container that cannot start: its image, its configuration. */
function waitingCause(pod: StoredPod): Cause | undefined {
  const stuck = containersThatCount(pod).find(({ status }) => {
    const reason = status?.state?.waiting?.reason;
    return reason && reason !== WAITING.containerCreating && reason !== WAITING.podInitializing;
  });
  const waiting = stuck?.status?.state?.waiting;
  if (stuck === undefined || waiting === undefined) return undefined;
  const text = [waiting.reason, waiting.message].filter(Boolean).join(': ');
  return { container: stuck.container.name, text: `${nameContainer(stuck)} cannot start: ${text}` };
}

/** Everything runs, but not everything is ready. */
function readinessCause(pod: StoredPod): Cause | undefined {
  const unready = containersOf(pod).find(
    ({ role, status }) => (role === 'regular' || role === 'sidecar') && status?.state?.running && !status.ready,
  );
  if (unready) return { container: unready.container.name, text: `${nameContainer(unready)} is not ready` };
  const ready = conditionOf(pod.status, 'Ready');
  if (ready?.reason !== CONDITION.readinessGatesNotReady) return undefined;
  return { container: undefined, text: ready.message ?? 'a readiness gate is not open' };
}
