import { isKeptByFinalizers, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { containersOf } from '../base/pod-container.ts';
import { conditionOf } from '../table/pod-status.ts';
import { changeTransitions } from './change-transition.ts';
import { containerTransitions } from './container-transition.ts';
import {
  changesOfTurns,
  type StatusContext,
  statusTransitions,
  type StatusTurn,
  turnsOf,
} from './status-transition.ts';
import type { Change, Transition } from './transition.ts';

/**
 * The changes between two consecutive versions of a Pod, in a readable order: one or more lines for each container, one
 * line for the phase and all conditions.
 * @param previous undefined for a new Pod
 * @param next undefined for a deleted Pod
 * @param atMs time at which `next` was seen, milliseconds since 1970
 */
export function transitionsOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  atMs: number,
  context: PodContext = {},
): Transition[] {
  const pod = (next ?? previous)?.metadata.name ?? '';
  return changesOf(previous, next, context).map((change) => ({ atMs, pod, ...change }));
}

/** The lines about a change of a Pod of a run that is well, and what its next lines depend on. */
export interface FoldedTransitions {
  readonly transitions: Transition[];
  readonly folded: FoldedPod;
}

/**
 * The same with fewer lines while a Pod is well: one for its first status, and none for what its next line says.
 * @param folded the answer for the previous version; undefined for a new Pod
 */
export function foldedTransitions(
  previous: StoredPod | undefined,
  next: StoredPod,
  atMs: number,
  { stopped, deletedBy, hasNodes = false }: PodContext = {},
  folded: FoldedPod = UNSEEN_POD,
): FoldedTransitions {
  const containers = containerTransitions(previous, next, stopped, true);
  const reported = new Set(containers.map(({ container }) => container));
  const status = foldedStatus({ previous, next, atMs, folded, hasNodes }, { reported, stopped });
  const changes = [
    ...changeTransitions(previous, next),
    ...deletion(previous, next, deletedBy),
    ...holding(previous, next),
    ...containers,
    ...status.changes,
  ];
  const pod = next.metadata.name;
  return { transitions: changes.map((change) => ({ atMs, pod, ...change })), folded: status.folded };
}

/** The context of a change of a Pod. */
export interface PodContext {
  /** Containers that ran when podrun began to end the Pod. Undefined: podrun is not ending it. */
  readonly stopped?: ReadonlySet<string> | undefined;
  /** The cause of a deletion by a controller, see `deletedBy`. */
  readonly deletedBy?: string | undefined;
  /** True when there is more than one node: then the first line of a Pod names its own. Default: false. */
  readonly hasNodes?: boolean;
}

function changesOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  { stopped, deletedBy }: PodContext,
): Change[] {
  if (next === undefined) return [{ kind: 'deletion', text: 'deleted', tone: 'muted' }];
  const containers = containerTransitions(previous, next, stopped);
  const reported = new Set(containers.map(({ container }) => container));
  return [
    ...changeTransitions(previous, next),
    ...existenceTransitions(previous, next, deletedBy),
    ...containers,
    ...statusTransitions(previous, next, { reported, stopped }),
  ];
}

/**
 * The transitions at both ends of a Pod: created, Terminating, held by its finalizers after its end.
 * @param deletedBy the cause of a deletion by a controller
 */
function existenceTransitions(previous: StoredPod | undefined, next: StoredPod, deletedBy?: string): Change[] {
  return [...creation(previous, next), ...deletion(previous, next, deletedBy), ...holding(previous, next)];
}

/** A mirror Pod that was made anew has the uid of another object, and the status of its static Pod. */
function creation(previous: StoredPod | undefined, { metadata, status }: StoredPod): Change[] {
  const isNew = previous === undefined ? !status.containerStatuses : previous.metadata.uid !== metadata.uid;
  return isNew ? [{ kind: 'created', text: 'created', why: status.phase, tone: 'muted' }] : [];
}

function deletion(
  previous: StoredPod | undefined,
  { metadata, status }: StoredPod,
  deletedBy: string | undefined,
): Change[] {
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const old = previous?.metadata;
  // A Pod that has ended is removed at once. A final grace period of 0 only allows the removal.
  if (!metadata.deletionTimestamp || isTerminalPhase(status.phase)) return [];
  const why = graceSeconds > 0 ? `grace period ${graceSeconds}s` : 'no grace period';
  if (!old?.deletionTimestamp) {
    const text = deletedBy === undefined ? 'Terminating' : `deleted by ${deletedBy}`;
    return [{ kind: 'deletion', text, why, tone: 'info' }];
  }
  if (old.deletionGracePeriodSeconds === graceSeconds || graceSeconds === 0) return [];
  return [{ kind: 'deletion', text: 'Terminating sooner', why, tone: 'info' }];
}

function holding(previous: StoredPod | undefined, next: StoredPod): Change[] {
  const isOver = isKeptByFinalizers(next) && isTerminalPhase(next.status.phase);
  if (!isOver || (previous !== undefined && isKeptByFinalizers(previous) && isTerminalPhase(previous.status.phase)))
    return [];
  const why = (next.metadata.finalizers ?? []).join(', ');
  return [{ kind: 'deletion', text: 'stays until its finalizers are removed', why, tone: 'info' }];
}

/** The part of a Pod's past on which its next line depends. */
export interface FoldedPod {
  /** The time at which the Pod was created, milliseconds since 1970. Undefined: it was not seen. */
  readonly createdAtMs: number | undefined;
  /** True when the kubelet has written its first status. */
  readonly hasStatus: boolean;
  /** Conditions that have turned without a line of their own: the next line names them. */
  readonly held: readonly StatusTurn[];
}

const UNSEEN_POD: FoldedPod = { createdAtMs: undefined, hasStatus: false, held: [] };

/** A change of a Pod of a run. */
interface FoldedChange {
  readonly previous: StoredPod | undefined;
  readonly next: StoredPod;
  /** The time at which `next` was seen, milliseconds since 1970. */
  readonly atMs: number;
  readonly folded: FoldedPod;
  readonly hasNodes: boolean;
}

/**
 * The line about the phase and the conditions of a Pod. The first status of a Pod is one phrase, which names the
 * containers that the Pod waits for: `Pending, scheduled; waits for init fetch, progress`. A condition that turns
 * without news for a person waits for the next line.
 */
function foldedStatus(
  change: FoldedChange,
  context: StatusContext,
): { readonly changes: Change[]; readonly folded: FoldedPod } {
  const { previous, next, atMs, folded } = change;
  const isNew = previous === undefined && next.status.containerStatuses === undefined;
  const createdAtMs = isNew ? atMs : folded.createdAtMs;
  const turns = turnsOf(previous, next, context);
  if (turns.length > 0 && turns.every((turn) => isWithoutNews(turn, next))) {
    return { changes: [], folded: { ...folded, createdAtMs, held: [...folded.held, ...turns] } };
  }
  const hasFirst = !folded.hasStatus && conditionOf(next.status, 'ContainersReady') !== undefined;
  const line = hasFirst ? firstStatus(turns, change) : withHeld(turns, folded.held, next);
  const readyAfterMs = createdAtMs === undefined || folded.createdAtMs === undefined ? undefined : atMs - createdAtMs;
  const timed = readyAfterMs === undefined ? line : line.map((turn) => withTime(turn, readyAfterMs));
  const isReady = turns.some(({ text }) => text === 'Ready');
  return {
    changes: changesOfTurns(timed, next, context),
    folded: {
      createdAtMs: isReady ? undefined : createdAtMs,
      hasStatus: folded.hasStatus || hasFirst,
      held: line.length === 0 ? folded.held : [],
    },
  };
}

/** The preparation of a Pod, and its scheduling at once, are no news: the next line follows soon. */
function isWithoutNews({ type, text }: StatusTurn, next: StoredPod): boolean {
  if (type === 'PodReadyToStartContainers') return true;
  return type === 'PodScheduled' && text === type && conditionOf(next.status, 'ContainersReady') === undefined;
}

const FOLDED: ReadonlySet<string | undefined> = new Set([
  'PodScheduled',
  'PodReadyToStartContainers',
  'Initialized',
  'AllContainersRestarting',
]);

/** The first status in one phrase, followed by what the phrase does not say. */
function firstStatus(turns: readonly StatusTurn[], { next, folded: { held }, hasNodes }: FoldedChange): StatusTurn[] {
  const phase = turns.find(({ type }) => type === undefined);
  const isOver = isTerminalPhase(next.status.phase);
  const lacks = (type: string): boolean => conditionOf(next.status, type)?.status === 'False';
  const waits = lacks('ContainersReady') && !isOver ? `; waits for ${awaited(next)}` : '';
  const isFolded = ({ type, text }: StatusTurn): boolean =>
    type === undefined ? !isOver : FOLDED.has(type) || (lacks('ContainersReady') && /^(Containers)?Ready=/.test(text));
  const isScheduled = [...held, ...turns].some(({ text }) => text === 'PodScheduled');
  const scheduled = isScheduled ? `, scheduled${hasNodes ? ` on ${next.spec.nodeName}` : ''}` : '';
  const first: StatusTurn = {
    kind: phase?.kind ?? 'condition',
    type: phase === undefined ? 'PodScheduled' : undefined,
    text: `${next.status.phase}${scheduled}${waits}`,
    tone: phase?.tone ?? 'muted',
  };
  return [...(isOver ? [] : [first]), ...turns.filter((turn) => !isFolded(turn))];
}

/** The most names in the phrase of a Pod. */
const NAMED_MAX = 4;

/** The containers that a new Pod waits for: `init fetch, progress`, `main`. */
function awaited(pod: StoredPod): string {
  const isInitializing = conditionOf(pod.status, 'Initialized')?.status === 'False';
  const names = containersOf(pod)
    .filter(({ role, status }) => {
      if (isInitializing) return role === 'init' || role === 'sidecar';
      return role !== 'init' && role !== 'ephemeral' && status?.ready !== true;
    })
    .map(({ container }) => container.name);
  const more = names.length - NAMED_MAX;
  const listed = more > 0 ? [...names.slice(0, NAMED_MAX), `${more} more`] : names;
  return `${isInitializing ? 'init ' : ''}${listed.join(', ')}`;
}

/** The turns without a line so far, then the turns of this line. The end of a Pod comes first. */
function withHeld(turns: readonly StatusTurn[], held: readonly StatusTurn[], { status }: StoredPod): StatusTurn[] {
  if (turns.length === 0) return [];
  // The present state of a condition that has turned back by now is in this line.
  const late = held.filter(({ type }, index) => {
    const later = [...held.slice(index + 1), ...turns];
    return type !== 'PodScheduled' && !later.some((turn) => turn.type === type);
  });
  return isTerminalPhase(status.phase) ? [...turns, ...late] : [...late, ...turns];
}

function withTime(turn: StatusTurn, ms: number): StatusTurn {
  return turn.text === 'Ready' ? { ...turn, text: `Ready after ${(Math.max(0, ms) / 1000).toFixed(2)}s` } : turn;
}
