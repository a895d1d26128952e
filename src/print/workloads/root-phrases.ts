import { PROGRESS_DEADLINE_EXCEEDED, type StoredDeployment, type StoredPod } from '../../api/index.ts';
import type { PodEvidence, RecordedEvidence } from '../../history/index.ts';
import type { PodGoal, Root, WantedState } from '../../lifecycle/index.ts';
import { causeOf } from '../live/first-cause.ts';
import { waitingFor } from '../live/waiting-for.ts';
import { conditionOf } from '../table/pod-status.ts';
import { explainPod, type ExplainPodOptions } from '../waits/explain-pod.ts';
import { goalPhrase, whyNever } from '../waits/goal-phrase.ts';
import { jobFailure } from './job-changes.ts';
import { progressText } from './progress.ts';
import { lateness } from './server-changes.ts';
import { whyPodsAreMissing } from './workload-warning.ts';

type RecordsOf = (object: Root['object']) => RecordedEvidence;

/** The name of a root as kubectl writes it: `deployment/web`. */
export function rootName({ object: { kind, metadata } }: Pick<Root, 'object'>): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

/** The name of a root in a sentence: `deployment "web"`. */
export function quotedRoot({ object: { kind, metadata } }: Pick<Root, 'object'>): string {
  return `${kind.toLowerCase()} "${metadata.name}"`;
}

/** The name of a root in a line of the stream: `deployment web`. */
export function namedRoot({ object: { kind, metadata } }: Pick<Root, 'object'>): string {
  return `${kind.toLowerCase()} ${metadata.name}`;
}

/** The goal in the words of the root's kind: a Pod has Succeeded, a Job is Complete. */
export function goalOf({ object: { kind } }: Pick<Root, 'object'>, goal: string): string {
  return kind === 'Job' && goal === 'Succeeded' ? 'Complete' : goal;
}

/** A clause about the reason why a root can never reach the goal. */
export function whyRootNever(root: Root, wanted: PodGoal | undefined, records: RecordsOf): string {
  const { object, isGone, pods } = root;
  if (object.kind === 'Pod') return whyNever(object, wanted, records(object));
  const failure = object.kind === 'Job' ? jobFailure(object, pods) : undefined;
  if (failure !== undefined) return failure;
  if (isGone) return 'it was deleted';
  if (object.metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (object.kind === 'Job' && object.status?.completionTime) return 'it is Complete';
  const deadline = object.kind === 'Deployment' ? missedDeadline(object) : undefined;
  if (deadline !== undefined) return deadline;
  return `${progressText(object)}, and Pods cannot start on this machine`;
}

/** The text `ProgressDeadlineExceeded, 1/3 ready, no progress for 10s`. */
function missedDeadline(deployment: StoredDeployment): string | undefined {
  const progress = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  return progress?.reason === PROGRESS_DEADLINE_EXCEEDED ? `${progress.reason}, ${lateness(deployment)}` : undefined;
}

/** The state of a workload in a few words. */
export function rootState({ object, pods }: Root): string {
  if (object.kind === 'Pod') return object.status.phase ?? 'Unknown';
  return (object.kind === 'Job' ? jobFailure(object, pods) : undefined) ?? progressText(object);
}

/** The state of a workload, and why it cannot create Pods. */
export function troubledState(root: Root, records: RecordsOf): string {
  const trouble = whyPodsAreMissing(root, () => records(root.object).events);
  return [rootState(root), trouble].filter(Boolean).join('; ');
}

/** The reason why a root has not reached the wanted state, as a phrase after "waiting for". */
export function rootPhrase(root: Root, wanted: WantedState | undefined, nowMs: number, records: RecordsOf): string {
  const { object } = root;
  if (object.kind === 'Pod') return goalPhrase(object, wanted, nowMs, records(object));
  const pod = blamedPod(root);
  const state = troubledState(root, records);
  if (pod === undefined && wanted === undefined && object.kind !== 'Job') {
    return `${state}; a ${object.kind} does not end by itself`;
  }
  if (pod === undefined) return state;
  return `${state}; pod/${pod.metadata.name}: ${goalPhrase(pod, undefined, nowMs, records(pod))}`;
}

/**
 * The evidence for a root, indented below its sentence. Below the sentence of a workload stands the Pod that explains
 * it best. Empty without evidence.
 */
export function rootEvidence(
  root: Root,
  evidenceOf: (pod: StoredPod) => PodEvidence,
  about: Omit<ExplainPodOptions, 'pod' | 'evidence'>,
): string {
  const pod = blamedPod(root);
  if (pod === undefined) return '';
  const evidence = evidenceOf(pod);
  const block = explainPod({ pod, evidence, ...about });
  if (root.object.kind === 'Pod') return block;
  const cause = causeOf(pod, evidence)?.text ?? waitingFor(pod, about.untilMs, evidence);
  return `pod/${pod.metadata.name}: ${cause}\n${block}`;
}

/** The Pod that explains best why a root is not where it should be. Undefined when all Pods of a workload are well. */
export function blamedPod({ object, pods }: Root): StoredPod | undefined {
  if (object.kind === 'Pod') return object;
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod) })).filter(({ rank }) => rank < WELL);
  const [first] = ranked.toSorted((a, b) => a.rank - b.rank || newerFirst(a.pod, b.pod));
  return first?.pod;
}

const WELL = 3;

/** The lower, the worse: failed or restarted, not Ready, being deleted, well. */
function rankOf(pod: StoredPod): number {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp !== undefined) return status.phase === 'Failed' ? 2 : WELL;
  const isReady = conditionOf(status, 'Ready')?.status === 'True';
  if (isReady || status.phase === 'Succeeded') return WELL;
  const cause = causeOf(pod);
  return cause === undefined || cause.kind === 'readiness' ? 1 : 0;
}

function newerFirst({ metadata: a }: StoredPod, { metadata: b }: StoredPod): number {
  if (a.creationTimestamp === b.creationTimestamp) return 0;
  return a.creationTimestamp < b.creationTimestamp ? 1 : -1;
}
