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
  WORKING_FOLDER_HIDDEN,
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
      : [...toldRemedies(view, evidence), ...containerRemedies(pod, view, evidence)]),
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

/** The constraints that more nodes may meet, by the scheduler's words for nodes that do not. */
const BETWEEN_NODES: ReadonlyArray<readonly [words: string, constraint: string]> = [
  ['anti-affinity rules', 'its required podAntiAffinity'],
  ['pod topology spread constraints', 'its topology spread constraint'],
];

/** Advice for a Pod that would run on one more node. */
function moreNodes(message: string): string[] {
  const nodes = Number(/^0\/(\d+) nodes/.exec(message)?.[1] ?? 0);
  const [, constraint] = BETWEEN_NODES.find(([words]) => message.includes(words)) ?? [];
  if (constraint === undefined || nodes === 0) return [];
  const present = nodes === 1 ? 'there is one node' : `there are ${nodes} nodes`;
  return [
    `${constraint} asks for another node, and ${present}: podrun apply --nodes ${nodes + 1}; or prefer it, or run ` +
      'fewer replicas',
  ];
}

/** Advice for a Pod that the nodes have no room for. */
function roomRemedies({ status }: StoredPod, events: readonly StoredEvent[]): string[] {
  const message = conditionOf(status, 'PodScheduled')?.message ?? '';
  const more = moreNodes(message);
  if (more.length > 0) return more;
  const lacksRoom =
    /^0\/1 nodes .*\b1 (Insufficient|Too many pods)/.test(message) || status.reason?.startsWith('OutOf') === true;
  if (!lacksRoom) return [];
  const room = sortedByLastSeen(events).findLast(({ reason }) => reason === NO_ROOM)?.message;
  const isOfNode = /^OutOf(cpu|memory|ephemeral-storage)$/.test(status.reason ?? '');
  const overcommit = room === undefined && !isOfNode ? [] : [OVERCOMMIT_REMEDY];
  const about = room === undefined ? overcommit : overcommit.map((remedy) => `${roomIn(room)}: ${remedy}`);
  return [...about, 'run it on a cluster that has room: podrun apply --context NAME'];
}

/** The reasons of events about a container that say what to do. */
export const TELL_REMEDY: ReadonlySet<string> = new Set([PORT_TAKEN, WORKING_FOLDER_HIDDEN]);

/** The message of the last of these events about a container. */
function toldRemedies({ container }: PodContainer, { events }: PodEvidence): string[] {
  return events
    .filter(({ reason = '', involvedObject }) => TELL_REMEDY.has(reason) && isAbout(involvedObject, container.name))
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
