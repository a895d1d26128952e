import {
  allContainerStatuses,
  type ContainerStatus,
  type PodCondition,
  SCHEDULING_GATED,
  type StoredPod,
} from '../../api/index.ts';
import { shouldRestart, TERMINATED } from '../../lifecycle/index.ts';
import type { Tone } from '../text/painter.ts';
import { conditionOf } from '../table/pod-status.ts';
import { type PodContainer, containersOf } from '../base/pod-container.ts';
import { causeOf } from './first-cause.ts';
import type { Change } from './transition.ts';

/** The conditions that kubelet and scheduler set, in the usual order. */
const OWN_CONDITIONS: readonly string[] = [
  'PodScheduled',
  'PodReadyToStartContainers',
  'Initialized',
  'AllContainersRestarting',
  'ContainersReady',
  'Ready',
];

/** A change of the phase or of the status of a condition. */
export interface StatusTurn {
  readonly kind: Change['kind'];
  /** The type of the condition. Undefined: the phase. */
  readonly type?: string | undefined;
  /** `Running`, `Initialized`, `Ready=False`. */
  readonly text: string;
  readonly why?: string | undefined;
  readonly tone: Tone;
}

/** The context of an update, besides the two versions of the Pod. */
export interface StatusContext {
  /** Containers that have a line of their own in this update. */
  readonly reported: ReadonlySet<string | undefined>;
  /** Containers that ran when podrun began to end the Pod. Undefined: podrun is not ending it. */
  readonly stopped: ReadonlySet<string> | undefined;
}

/**
 * The changes of the phase and of all conditions between two versions of a Pod, in one line: `Running, ContainersReady,
 * Ready`, `ContainersReady=False, Ready=False: containers with unready status: [web]`. Empty without changes.
 */
export function statusTransitions(previous: StoredPod | undefined, next: StoredPod, context: StatusContext): Change[] {
  return changesOfTurns(turnsOf(previous, next, context), next, context);
}

/** The changes of the phase and of all conditions between two versions of a Pod, one by one. */
export function turnsOf(previous: StoredPod | undefined, next: StoredPod, context: StatusContext): StatusTurn[] {
  const phase = phaseTurn(previous, next, context);
  return [...(phase === undefined ? [] : [phase]), ...conditionTurns(previous, next, context)];
}

/** Joins turns to one line. */
export function changesOfTurns(turns: readonly StatusTurn[], next: StoredPod, context: StatusContext): Change[] {
  if (turns.length === 0) return [];
  const hasNewPhase = turns.some(({ type }) => type === undefined);
  if (hasNewPhase && isEndedByPodrun(next, context)) return [endedByPodrun(turns, next)];
  const kind = turns.find((turn) => turn.kind !== 'condition')?.kind ?? 'condition';
  return [{ kind, ...wordsOf(turns), tone: strongest(turns) }];
}

/** Joins neighbours with one reason: `Failed: Evicted; ContainersReady=False, Ready=False: PodFailed`. */
function wordsOf(turns: readonly StatusTurn[]): Pick<Change, 'text' | 'why'> {
  const groups: { text: string; why: string | undefined }[] = [];
  for (const { text, why } of turns) {
    const last = groups.at(-1);
    if (last !== undefined && last.why === why) last.text = `${last.text}, ${text}`;
    else groups.push({ text, why });
  }
  const first = groups.findIndex(({ why }) => why !== undefined);
  const end = first === -1 ? groups.length : first + 1;
  const rest = groups.slice(end).map(({ text, why }) => (why === undefined ? text : `${text}: ${why}`));
  const why = [...(groups[first]?.why === undefined ? [] : [groups[first].why]), ...rest].join('; ');
  return {
    text: groups
      .slice(0, end)
      .map(({ text }) => text)
      .join('; '),
    why: why || undefined,
  };
}

function strongest(turns: readonly StatusTurn[]): Tone {
  const order: readonly Tone[] = ['bad', 'good', 'info', 'muted'];
  return order.find((tone) => turns.some((turn) => turn.tone === tone)) ?? 'muted';
}

function phaseTurn(
  previous: StoredPod | undefined,
  next: StoredPod,
  { reported }: Pick<StatusContext, 'reported'>,
): StatusTurn | undefined {
  const { phase = 'Unknown', reason, message } = next.status;
  if (phase === (previous?.status.phase ?? 'Pending')) return undefined;
  const why = [reason, message].filter(Boolean).join(': ') || undefined;
  switch (phase) {
    case 'Pending':
    case 'Running':
      return { kind: 'phase', text: phase, why, tone: 'info' };
    case 'Succeeded':
      return { kind: 'phase', text: phase, tone: 'good' };
    case 'Failed':
      return {
        kind: 'phase',
        text: phase,
        why: why ?? failureText(next, reported),
        tone: isEndedByDelete(next) ? 'info' : 'bad',
      };
    case 'Unknown':
      return { kind: 'phase', text: phase, why, tone: 'bad' };
    default:
      return phase satisfies never;
  }
}

/** True for the end of a deleted Pod: the signals of a deletion usually make its phase Failed. */
function isEndedByDelete({ metadata, status }: StoredPod): boolean {
  return metadata.deletionTimestamp !== undefined && !status.reason;
}

/** The cause of a failed Pod. Undefined when a line of this update already names the container. */
function failureText(pod: StoredPod, reported: StatusContext['reported']): string | undefined {
  const cause = causeOf(pod);
  return cause === undefined || reported.has(cause.container) ? undefined : cause.text;
}

/** True for a Pod that ended only because podrun ended it. */
function isEndedByPodrun({ status }: StoredPod, { stopped }: StatusContext): boolean {
  if (stopped === undefined || status.reason || (status.phase !== 'Failed' && status.phase !== 'Succeeded'))
    return false;
  const failed = allContainerStatuses(status).filter(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  const isStopped = ({ name, state }: ContainerStatus): boolean =>
    stopped.has(name) && state?.terminated?.reason !== TERMINATED.oomKilled;
  return stopped.size > 0 && failed.every(isStopped);
}

/** The line for a Pod that podrun ended. The phase Failed is red, although it follows from podrun's signals. */
function endedByPodrun(turns: readonly StatusTurn[], { status }: StoredPod): Change {
  const texts = turns.map(({ text }) => text);
  const tone = status.phase === 'Failed' ? 'bad' : 'good';
  return { kind: 'phase', text: 'ended', why: `phase ${texts.join(', ')}`, tone };
}

function conditionTurns(previous: StoredPod | undefined, next: StoredPod, context: StatusContext): StatusTurn[] {
  const now = next.status.conditions ?? [];
  const rank = ({ type }: PodCondition): number => {
    const index = OWN_CONDITIONS.indexOf(type);
    return index === -1 ? OWN_CONDITIONS.length : index;
  };
  const turned = now.filter((condition) => hasTurned(previous, next, condition)).toSorted((a, b) => rank(a) - rank(b));
  const gone = (previous?.status.conditions ?? []).filter(
    ({ type }) => !now.some((condition) => condition.type === type),
  );
  return [
    ...turned.map((condition) => conditionTurn(previous, next, condition, context)),
    ...gone.map(({ type }): StatusTurn => ({ kind: 'condition', type, text: `${type} removed`, tone: 'info' })),
  ];
}

function hasTurned(previous: StoredPod | undefined, next: StoredPod, now: PodCondition): boolean {
  const old = previous && conditionOf(previous.status, now.type);
  if (old?.status !== now.status) return true;
  if (now.status === 'True' || (old.reason === now.reason && old.message === now.message)) return false;
  // The scheduler has a new reason, or all containers are ready and only a readiness gate is missing.
  if (now.type === 'PodScheduled') return true;
  const isContainersReady = conditionOf(next.status, 'ContainersReady')?.status === 'True';
  const wereContainersReady = previous && conditionOf(previous.status, 'ContainersReady')?.status === 'True';
  return now.type === 'Ready' && isContainersReady && !wereContainersReady;
}

function conditionTurn(
  previous: StoredPod | undefined,
  next: StoredPod,
  condition: PodCondition,
  context: StatusContext,
): StatusTurn {
  const { type, status, message } = condition;
  const isOwn = OWN_CONDITIONS.includes(type);
  const isTrue = status === 'True';
  return {
    kind: type === 'PodScheduled' && !isTrue ? 'scheduling' : 'condition',
    type,
    text: isTrue ? type : `${type}=${status}`,
    why: isTrue && isOwn ? message : reasonOf(next, condition),
    tone: toneOf(previous, next, condition, context),
  };
}

function reasonOf({ spec }: StoredPod, { type, reason, message }: PodCondition): string | undefined {
  if (type === 'PodScheduled' && reason === SCHEDULING_GATED.reason) {
    return `${reason}: ${(spec.schedulingGates ?? []).map(({ name }) => name).join(', ')}`;
  }
  return message || reason || undefined;
}

function toneOf(
  previous: StoredPod | undefined,
  next: StoredPod,
  { type, status, reason }: PodCondition,
  { stopped }: StatusContext,
): Tone {
  const isTrue = status === 'True';
  switch (type) {
    case 'PodScheduled':
      if (isTrue) return 'muted';
      return reason === SCHEDULING_GATED.reason ? 'info' : 'bad';
    case 'PodReadyToStartContainers':
      return 'muted';
    case 'ContainersReady':
    case 'Ready': {
      if (isTrue) return type === 'Ready' ? 'good' : 'info';
      const isLost = (previous && conditionOf(previous.status, type)?.status) === 'True';
      return isLost && stopped === undefined && !isOnlyDone(next) ? 'bad' : 'muted';
    }
    case 'DisruptionTarget':
      return isTrue ? 'bad' : 'info';
    case 'Initialized':
    case 'AllContainersRestarting':
      // The first status of a condition is not important.
      return previous !== undefined && conditionOf(previous.status, type) !== undefined ? 'info' : 'muted';
    default:
      return 'info';
  }
}

/** True for a Pod that is not ready only because it is being deleted, or its containers have finished. */
function isOnlyDone(pod: StoredPod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  const unready = containersOf(pod).filter(({ role, status }) => role === 'regular' && status?.ready !== true);
  const isDone = ({ container, status }: PodContainer): boolean => {
    const isSuccess = status?.state?.terminated?.exitCode === 0;
    return isSuccess && !shouldRestart(pod.spec.restartPolicy, container, 0);
  };
  return unready.length > 0 && unready.every(isDone);
}
