import {
  type ContainerStateTerminated,
  type ContainerStateWaiting,
  type ContainerStatus,
  DEFAULT_STOP_SIGNAL,
  type StoredPod,
} from '../../api/index.ts';
import { type EndInStatus, endsIn } from '../../history/index.ts';
import { TERMINATED, WAITING } from '../../lifecycle/index.ts';
import { briefDuration } from '../base/age.ts';
import { type PodContainer, containersOf, roleWord } from '../base/pod-container.ts';
import { describeEnd, meaningOfExitCode, reasonOfEnd, runTimeMs } from '../base/exit-code.ts';
import type { Tone } from '../text/painter.ts';
import type { Change } from './transition.ts';

/** A change of one container. */
export type ContainerChange = Change & { readonly container: string };

/** Waiting reasons without news: it is not the container's turn, or a line about the Pod has the reason. */
const QUIET_REASONS: ReadonlySet<string> = new Set([
  '',
  WAITING.containerCreating,
  WAITING.podInitializing,
  WAITING.restartingAllContainers,
]);

/**
 * The transitions of the containers between two versions of a Pod, container by container in the order of the spec.
 * @param stopped containers that ran when podrun began to end the Pod; undefined: podrun is not ending it
 * @param isFolded true for shorter texts about init containers that are well
 */
export function containerTransitions(
  previous: StoredPod | undefined,
  next: StoredPod,
  stopped?: ReadonlySet<string>,
  isFolded = false,
): ContainerChange[] {
  const before = new Map(previous && containersOf(previous).map(({ container, status }) => [container.name, status]));
  const isDeleted = next.metadata.deletionTimestamp !== undefined;
  const isDone = regularContainersEnded(next);
  return containersOf(next).flatMap((view) => {
    const { container, status } = view;
    if (status === undefined) return [];
    const old = before.get(container.name);
    const isStopped = stopped?.has(container.name) === true;
    const isExpected: ExpectedEnd = isStopped ? 'byPodrun' : isDeleted || (isDone && view.role === 'sidecar');
    const changes = [
      ...(previous === undefined ? [] : unseenEnd(old, status, isExpected)),
      ...waitingChange(old, status),
      ...startOf(old, status, view, isFolded),
      ...readinessChange(old, status, view),
      ...endOf(old, status, isExpected).map((change) => (isFolded ? doneText(change, view) : change)),
    ];
    if (changes.length === 0) return [];
    const role = roleWord(view.role);
    return changes.map((change) => ({ kind: 'container', container: container.name, role, ...change }));
  });
}

/** The text for an init container that has done its work: `done in 912ms`. */
function doneText(change: ChangeText, { role }: PodContainer): ChangeText {
  const ran = /^exited with code 0(?: after (.+))?$/.exec(change.text);
  if (role !== 'init' || ran === null || change.tone !== 'good') return change;
  return { ...change, text: ran[1] === undefined ? 'done' : `done in ${ran[1]}` };
}

type ChangeText = Pick<Change, 'text' | 'why' | 'tone'>;

/** True for a container that a deletion or the end of its Pod stops. `byPodrun`: the end of `apply` stops it. */
type ExpectedEnd = boolean | 'byPodrun';

/** True when only sidecars are left: they are stopped then, and any exit code is expected. */
function regularContainersEnded({ spec, status }: StoredPod): boolean {
  const ended = (status.containerStatuses ?? []).filter(({ state }) => state?.terminated);
  return ended.length === spec.containers.length;
}

/** The ends that the second version shows for the first time. A container that is given up shows its end again. */
function newEnds(old: ContainerStatus | undefined, now: ContainerStatus): EndInStatus[] {
  const known = Math.max(-1, ...endsIn(old).map(({ attempt }) => attempt));
  // The status of an evicted Pod counts an end again, without its times.
  const isForgotten = ({ reason, finishedAt }: ContainerStateTerminated): boolean =>
    reason === TERMINATED.statusUnknown && !finishedAt && old?.state?.terminated !== undefined;
  return endsIn(now).filter(({ attempt, terminated }) => attempt > known && !isForgotten(terminated));
}

/** An end between the two versions, which appears only as the last state. */
function unseenEnd(old: ContainerStatus | undefined, now: ContainerStatus, isExpected: ExpectedEnd): ChangeText[] {
  const unseen = newEnds(old, now).find(({ terminated }) => terminated === now.lastState?.terminated);
  // The waiting reason already reports a failed start.
  const isReported = unseen?.terminated.reason === TERMINATED.startError && now.state?.waiting?.reason;
  return unseen === undefined || isReported ? [] : [endText(now, unseen.terminated, isExpected)];
}

function endOf(old: ContainerStatus | undefined, now: ContainerStatus, isExpected: ExpectedEnd): ChangeText[] {
  const ended = newEnds(old, now).find(({ terminated }) => terminated === now.state?.terminated);
  return ended === undefined ? [] : [endText(now, ended.terminated, isExpected)];
}

function endText(now: ContainerStatus, ended: ContainerStateTerminated, isExpected: ExpectedEnd): ChangeText {
  const ranMs = runTimeMs(ended);
  const text = describeEnd(ended);
  const isKilled = isExpected === 'byPodrun' && ended.exitCode === SIGKILLED;
  return {
    text: ranMs === undefined ? text : `${text} after ${briefDuration(ranMs)}`,
    why: reasonOfEnd(ended) ?? (isKilled ? 'podrun ended it' : undefined),
    tone: toneOfEnd(ended, isExpected || isBySignalOf(now, ended)),
  };
}

/** True when the stop signal of the container ended it. */
function isBySignalOf(
  { stopSignal = DEFAULT_STOP_SIGNAL }: ContainerStatus,
  { exitCode }: ContainerStateTerminated,
): boolean {
  return meaningOfExitCode(exitCode) === stopSignal;
}

/** The tone of an end. SIGKILL is bad, unless podrun sent it. */
function toneOfEnd({ exitCode, reason, startedAt }: ContainerStateTerminated, isExpected: ExpectedEnd): Tone {
  if (exitCode === 0) return 'good';
  if (isExpected === 'byPodrun' && reason !== TERMINATED.oomKilled) return 'info';
  if (isExpected && (exitCode !== SIGKILLED || !startedAt)) return 'info';
  return 'bad';
}

const SIGKILLED = 137;

function waitingChange(old: ContainerStatus | undefined, now: ContainerStatus): ChangeText[] {
  const waiting = now.state?.waiting;
  if (!waiting || QUIET_REASONS.has(waiting.reason ?? '')) return [];
  const before = old?.state?.waiting;
  const isSame = before?.reason === waiting.reason && before?.message === waiting.message;
  return isSame && old?.restartCount === now.restartCount ? [] : [waitingText(waiting, now.restartCount)];
}

function waitingText({ reason = '', message = '' }: ContainerStateWaiting, restartCount: number): ChangeText {
  if (reason === WAITING.crashLoopBackOff) {
    const delay = /^back-off (\S+) /.exec(message)?.[1];
    const pause = delay === undefined ? 'backing off' : `backing off ${delay}`;
    return { text: `${pause} before attempt ${restartCount + 2}`, why: reason, tone: 'bad' };
  }
  // The back-off message repeats the error of the previous line.
  const why = reason === WAITING.imagePullBackOff ? message.replace(/: ErrImagePull: .*/s, '') : message;
  return { text: reason, why: why === '' ? undefined : why, tone: 'bad' };
}

function startOf(
  old: ContainerStatus | undefined,
  now: ContainerStatus,
  { role, position, total, ...view }: PodContainer,
  isFolded: boolean,
): ChangeText[] {
  if (!isNewInstance(old, now)) return [];
  const remarks = [
    ...(role === 'init' && !isFolded ? [`${position} of ${total}`] : []),
    ...(now.restartCount > 0 ? [`attempt ${now.restartCount + 1}`] : []),
  ];
  // An event reported the start when the postStart hook began, see event-transition.ts.
  const text = view.container.lifecycle?.postStart === undefined ? 'started' : 'running';
  return [{ text: remarks.length === 0 ? text : `${text} (${remarks.join(', ')})`, tone: 'info' }];
}

function isNewInstance(old: ContainerStatus | undefined, now: ContainerStatus): boolean {
  if (!now.state?.running) return false;
  const before = old?.state?.running;
  return before?.startedAt !== now.state.running.startedAt || old?.restartCount !== now.restartCount;
}

/** The changes of readiness and start-up of one instance. Without probes, both come with the start itself. */
function readinessChange(old: ContainerStatus | undefined, now: ContainerStatus, view: PodContainer): ChangeText[] {
  const { startupProbe, readinessProbe } = view.container;
  if (!now.state?.running || view.role === 'init') return [];
  const before = isNewInstance(old, now) ? undefined : old;
  const startedUp = startupProbe !== undefined && now.started === true && before?.started !== true;
  if (now.ready && before?.ready !== true && (startupProbe || readinessProbe)) {
    const probe = startedUp && !readinessProbe ? 'startup' : 'readiness';
    return [{ text: 'ready', why: `its ${probe} probe has passed`, tone: 'good' }];
  }
  if (startedUp) return [{ text: 'startup probe passed', tone: 'good' }];
  if (!now.ready && before?.ready === true) {
    return [{ text: 'not ready', why: readinessProbe ? 'its readiness probe fails' : undefined, tone: 'bad' }];
  }
  return [];
}
