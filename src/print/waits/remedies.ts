import { endsIn, type PodEvidence } from '../../history/index.ts';
import { isUnreachable, type StoredEvent, type StoredPod } from '../../api/index.ts';
import {
  CONDITION,
  DEADLINE_EXCEEDED,
  isNodeCondition,
  NO_ROOM,
  OVERCOMMIT_REMEDY,
  PORT_TAKEN,
  roomIn,
  TERMINATED,
  type WantedState,
} from '../../lifecycle/index.ts';

import { isPreempted } from '../live/first-cause.ts';
import type { PodContainer } from '../base/pod-container.ts';
import { blockingMount } from '../live/blocking-mount.ts';
import { ownEnd } from '../live/stopped-run.ts';
import { conditionOf } from '../table/pod-status.ts';
import { sortedByLastSeen } from '../table/events.ts';
import {
  endRemedies,
  labelRemedies,
  missingObjectRemedies,
  mountRemedies,
  startRemedies,
} from './remedies-by-cause.ts';
import { likelyGoal } from './goal-phrase.ts';
import { podCommand } from './pod-command.ts';
import { unreadyRemedies } from './probe-remedies.ts';

/** The number of pieces of advice. */
const MAX = 4;

export interface RemedyOptions {
  readonly pod: StoredPod;
  /** The container that causes the state. Undefined when no container does. */
  readonly view: PodContainer | undefined;
  readonly evidence: PodEvidence;
  /** True when the end of the Pod is wanted. */
  readonly isEndWanted: boolean;
  /** The wanted state, if it is known. */
  readonly wanted?: WantedState | undefined;
  /** The value of `--state-dir`, if it was given: the advised commands need it. */
  readonly stateDir?: string | undefined;
  /** Changes a sentence for readers without the command line. Undefined: it is of no use to them. */
  readonly reworded?: ((sentence: string) => string | undefined) | undefined;
}

/**
 * Advice for a Pod that has not reached the wanted state: sentences, the most likely first, with commands that are
 * ready to run.
 */
export function remedies({
  stateDir,
  reworded = (sentence) => withStateDir(sentence, stateDir),
  ...question
}: RemedyOptions): string[] {
  const sentences = [...new Set(remediesOf(question))];
  return sentences.flatMap((sentence) => reworded(sentence) ?? []).slice(0, MAX);
}

function withStateDir(sentence: string, stateDir: string | undefined): string {
  if (stateDir === undefined) return sentence;
  const folder = /^[\w./~-]+$/.test(stateDir) ? stateDir : `'${stateDir.replaceAll("'", String.raw`'\''`)}'`;
  return sentence.replaceAll(COMMAND, () => `podrun --state-dir ${folder} `);
}

const COMMAND = /\bpodrun (?=(?:apply|condition|describe|logs|probes)\b)/g;

function remediesOf({
  pod,
  view,
  evidence,
  isEndWanted,
  wanted,
}: Omit<RemedyOptions, 'stateDir' | 'reworded'>): string[] {
  if (isUnreachable(pod.status)) return [`see its agent: ${podCommand(pod, 'describe pod')}`];
  if (pod.status.phase === 'Unknown')
    return [`start it again: podrun apply; see it: ${podCommand(pod, 'describe pod')}`];
  if (isPreempted(pod)) return ['give it a higher priority, or lower the requests of the Pods that run together'];
  const remedies = [
    ...(isEndWanted ? endlessPodRemedies(pod) : []),
    ...conditionRemedies(pod, wanted),
    ...(view === undefined
      ? podRemedies(pod, evidence)
      : [...portRemedies(view, evidence), ...containerRemedies(pod, view, evidence)]),
  ];
  // A deleted Pod leaves nothing for other commands to show.
  const isGone = pod.metadata.deletionTimestamp !== undefined;
  return isGone ? remedies.filter((sentence) => !sentence.includes('podrun ')) : remedies;
}

/** Advice to set a condition that the node does not set. */
function conditionRemedies(pod: StoredPod, wanted: WantedState | undefined): string[] {
  if (wanted?.type !== 'condition' || isNodeCondition(wanted.condition)) return [];
  if (likelyGoal(pod, wanted.condition) !== undefined) return [];
  return [`set the condition: ${podCommand(pod, 'condition pod', [`${wanted.condition}=${wanted.status}`])}`];
}

/** Advice for a Pod that is well but never ends. */
function endlessPodRemedies({ spec, status }: StoredPod): string[] {
  if (conditionOf(status, 'Ready')?.status !== 'True' || (spec.restartPolicy ?? 'Always') !== 'Always') return [];
  return ['with restartPolicy Always the Pod never ends: wait with --until ready, or set restartPolicy Never'];
}

function podRemedies(pod: StoredPod, { events }: PodEvidence): string[] {
  const ready = conditionOf(pod.status, 'Ready');
  if (ready?.reason === CONDITION.readinessGatesNotReady) {
    const closed = (pod.spec.readinessGates ?? [])
      .map(({ conditionType }) => conditionType)
      .filter((type) => conditionOf(pod.status, type)?.status !== 'True');
    return closed.map((gate) => `open the readiness gate: ${podCommand(pod, 'condition pod', [`${gate}=True`])}`);
  }
  const mount = blockingMount(pod, events);
  const scheduled = conditionOf(pod.status, 'PodScheduled');
  const missing =
    mount === undefined ? missingObjectRemedies(pod, scheduled?.message ?? '') : mountRemedies(pod, mount);
  const labels = labelRemedies(pod, events);
  return [...missing, ...labels, ...roomRemedies(pod, events), `see its details: ${podCommand(pod, 'describe pod')}`];
}

const ANTI_AFFINITY_REMEDY =
  'its required podAntiAffinity takes a node for each Pod, and there is one: prefer it, run one replica, ' +
  'or run it on a cluster: podrun apply --context NAME';

/** Advice for a Pod that this machine has no room for. */
function roomRemedies({ status }: StoredPod, events: readonly StoredEvent[]): string[] {
  const message = conditionOf(status, 'PodScheduled')?.message ?? '';
  if (message.includes('anti-affinity rules')) return [ANTI_AFFINITY_REMEDY];
  const lacksRoom =
    /^0\/1 nodes .*\b1 (Insufficient|Too many pods)/.test(message) || status.reason?.startsWith('OutOf') === true;
  if (!lacksRoom) return [];
  const room = sortedByLastSeen(events).findLast(({ reason }) => reason === NO_ROOM)?.message;
  const isOfNode = /^OutOf(cpu|memory|ephemeral-storage)$/.test(status.reason ?? '');
  const overcommit = room === undefined && !isOfNode ? [] : [OVERCOMMIT_REMEDY];
  const about = room === undefined ? overcommit : overcommit.map((remedy) => `${roomIn(room)}: ${remedy}`);
  return [...about, 'run it on a cluster that has room: podrun apply --context NAME'];
}

/** The news that another process has a port of the container says what to do. */
function portRemedies({ container }: PodContainer, { events }: PodEvidence): string[] {
  return events
    .filter(({ reason, involvedObject }) => reason === PORT_TAKEN && isAbout(involvedObject, container.name))
    .flatMap(({ message }) => message ?? [])
    .slice(-1);
}

function isAbout({ fieldPath = '' }: StoredEvent['involvedObject'], container: string): boolean {
  return fieldPath.endsWith(`{${container}}`);
}

function containerRemedies(pod: StoredPod, view: PodContainer, evidence: PodEvidence): string[] {
  const { state } = view.status ?? {};
  const ended = state?.running ? undefined : endsIn(view.status).at(-1)?.terminated;
  if (ownEnd(pod, evidence.events)?.reason === DEADLINE_EXCEEDED.reason) {
    return [`raise spec.activeDeadlineSeconds (it is ${pod.spec.activeDeadlineSeconds})`, seeLog(pod, view)];
  }
  if (ended !== undefined) {
    const hasRun = ended.reason !== TERMINATED.startError;
    return [...endRemedies(ended, pod, view, evidence), ...(hasRun ? [seeLog(pod, view)] : [])];
  }
  if (state?.running) return [...unreadyRemedies(pod, view, evidence), seeLog(pod, view)];
  return [...startRemedies(pod, view), `see its details: ${podCommand(pod, 'describe pod')}`];
}

/** Advice to read the log. In a back-off, the current log belongs to the run that ended. */
function seeLog(pod: StoredPod, { container, status }: PodContainer): string {
  const isBehind = status?.state?.running !== undefined && status.lastState?.terminated !== undefined;
  return `read its log: ${podCommand(pod, 'logs', ['-c', container.name, ...(isBehind ? ['--previous'] : [])])}`;
}
