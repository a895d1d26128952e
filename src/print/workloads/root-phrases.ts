import type { RecordedEvidence } from '../../history/index.ts';
import { PROGRESS_DEADLINE_EXCEEDED, type StoredDeployment } from '../../api/index.ts';
import type { PodGoal, Root, WantedState } from '../../lifecycle/index.ts';
import { goalPhrase } from '../waits/goal-phrase.ts';
import { whyNever } from '../waits/why-never.ts';
import { blamedPod } from './blamed-pod.ts';
import { jobFailure } from './job-failure.ts';
import { whyPodsAreMissing } from './missing-pods.ts';
import { progressText } from './progress.ts';
import { lateness } from './server-changes.ts';

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
