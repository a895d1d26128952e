import {
  type Container,
  isSameJson,
  type PodTemplateSpec,
  PROGRESS_DEADLINE_EXCEEDED,
  type StoredDeployment,
  type Workload,
} from '../../api/index.ts';
import type { Change } from '../live/transition.ts';
import { isSettled, podCounts, progressText, revisionNumber } from './progress.ts';

type Server = Exclude<Workload, { kind: 'CronJob' | 'Job' }>;

/** The changes of a workload that keeps Pods running: its rollouts, its size, its readiness, its failures. */
export function serverChanges(previous: Workload, next: Server): Change[] {
  if (previous.kind !== next.kind) return [];
  return [
    ...pauses(previous, next),
    ...rollout(previous, next),
    ...size(previous, next),
    ...readiness(previous, next),
    ...failures(previous, next),
  ];
}

function pauses(previous: Workload, next: Server): Change[] {
  if (previous.kind !== 'Deployment' || next.kind !== 'Deployment') return [];
  const isPaused = next.spec.paused === true;
  if ((previous.spec.paused === true) === isPaused) return [];
  return [{ kind: 'change', text: isPaused ? 'paused' : 'resumed', tone: 'info' }];
}

function rollout({ spec: before }: Server, next: Server): Change[] {
  const changes = templateChanges(before.template, next.spec.template);
  return changes === '' ? [] : [{ kind: 'change', text: `${rolloutText(next)} (${changes})`, tone: 'muted' }];
}

/** The controller writes the number of the new revision a moment later. */
function rolloutText(next: Server): string {
  switch (next.kind) {
    case 'Deployment':
      return next.spec.paused === true ? 'template changed' : `rolling out revision ${revisionNumber(next) + 1}`;
    case 'DaemonSet':
    case 'StatefulSet':
      return next.spec.updateStrategy?.type === 'OnDelete' ? 'template changed' : 'rolling out';
    case 'ReplicaSet':
    case 'ReplicationController':
      return 'template of new Pods changed';
    default:
      return next satisfies never;
  }
}

function size(previous: Workload, next: Workload): Change[] {
  if (next.kind === 'DaemonSet') return [];
  const [from, to] = [podCounts(previous)?.wanted, podCounts(next)?.wanted];
  return from === to ? [] : [{ kind: 'change', text: `scaled from ${from} to ${to}`, tone: 'muted' }];
}

function readiness(previous: Workload, next: Workload): Change[] {
  const [was, is] = [isSettled(previous), isSettled(next)];
  if (is && !was) return [{ kind: 'condition', text: progressText(next), tone: 'good' }];
  const isSameSpec = previous.metadata.generation === next.metadata.generation;
  if (!isSameSpec || !(was ? !is : hasLessReady(previous, next))) return [];
  return [{ kind: 'condition', text: progressText(next), tone: 'info' }];
}

/** True when fewer of the Pods are Ready, all of which have the current template: a rollout replaces Ready Pods. */
function hasLessReady(previous: Workload, next: Workload): boolean {
  const [old, now] = [podCounts(previous), podCounts(next)];
  if (old === undefined || now === undefined) return false;
  return now.ready < old.ready && now.updated === now.existing && now.existing === now.wanted;
}

function failures(previous: Server, next: Server): Change[] {
  const [replicaFailure, old] = [conditionOf(next, 'ReplicaFailure'), conditionOf(previous, 'ReplicaFailure')];
  const isNew = replicaFailure?.status === 'True' && replicaFailure.message !== old?.message;
  const failed: Change[] = isNew
    ? [{ kind: 'condition', text: replicaFailure.reason ?? 'ReplicaFailure', why: replicaFailure.message, tone: 'bad' }]
    : [];
  const isLate = hasMissedDeadline(next) && !hasMissedDeadline(previous);
  if (!isLate || next.kind !== 'Deployment') return failed;
  return [...failed, { kind: 'condition', text: PROGRESS_DEADLINE_EXCEEDED, why: lateness(next), tone: 'bad' }];
}

function hasMissedDeadline(server: Server): boolean {
  return conditionOf(server, 'Progressing')?.reason === PROGRESS_DEADLINE_EXCEEDED;
}

/** The text `1/3 ready, no progress for 10s`. */
export function lateness(deployment: StoredDeployment): string {
  return `${progressText(deployment)}, no progress for ${deployment.spec.progressDeadlineSeconds ?? 0}s`;
}

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function conditionOf({ status }: Server, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The number of changes to name. Further ones are only counted. */
const NAMED_MAX = 3;

/**
 * The changes of a Pod template in a few words: `image nginx:1.27`, `env VERSION`, `api: command`, `restart`. Empty for
 * equal templates.
 */
function templateChanges(before: PodTemplateSpec | undefined, after: PodTemplateSpec | undefined): string {
  if (before === undefined || after === undefined) return '';
  const changes = [...metadataChanges(before, after), ...containersOf(before, after), ...specChanges(before, after)];
  const named = changes.slice(0, NAMED_MAX);
  const more = changes.length - named.length;
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join(', ');
}

/** The annotation of `rollout restart`. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

function metadataChanges({ metadata: before }: PodTemplateSpec, { metadata: after }: PodTemplateSpec): string[] {
  const annotations = changedKeys(before?.annotations, after?.annotations);
  const isRestart = annotations.includes(RESTARTED_AT);
  return [
    ...(isRestart ? ['restart'] : []),
    ...(annotations.length > (isRestart ? 1 : 0) ? ['annotations'] : []),
    ...changedKeys(before?.labels, after?.labels).map((key) => `label ${key}`),
  ];
}

function specChanges({ spec: before = EMPTY }: PodTemplateSpec, { spec: after = EMPTY }: PodTemplateSpec): string[] {
  return changedKeys(before, after).filter((field) => !/[cC]ontainers$/.test(field));
}

const EMPTY: NonNullable<PodTemplateSpec['spec']> = { containers: [] };

function containersOf({ spec: before = EMPTY }: PodTemplateSpec, { spec: after = EMPTY }: PodTemplateSpec): string[] {
  const [old, now] = [before, after].map(({ initContainers = [], containers }) => [...initContainers, ...containers]);
  const known = new Map((old ?? []).map((container) => [container.name, container]));
  const names = new Set((now ?? []).map(({ name }) => name));
  const isAlone = names.size === 1 && known.size === 1;
  return [
    ...(now ?? []).flatMap((container) => {
      const same = known.get(container.name);
      if (same === undefined) return [`container ${container.name} added`];
      const changes = containerChanges(same, container);
      return isAlone ? changes : changes.map((change) => `${container.name}: ${change}`);
    }),
    ...[...known.keys()].filter((name) => !names.has(name)).map((name) => `container ${name} removed`),
  ];
}

function containerChanges(before: Container, after: Container): string[] {
  return changedKeys(before, after).flatMap((field) => {
    if (field === 'image') return [`image ${after.image}`];
    if (field !== 'env') return [field];
    const values = [before, after].map(({ env = [] }) => Object.fromEntries(env.map((entry) => [entry.name, entry])));
    const names = changedKeys(values[0], values[1]);
    return names.length === 0 ? ['order of env'] : names.map((name) => `env ${name}`);
  });
}

function changedKeys(before: object | undefined, after: object | undefined): string[] {
  const [old, now] = [before, after].map((object) => new Map<string, unknown>(Object.entries(object ?? {})));
  const keys = new Set([...(now?.keys() ?? []), ...(old?.keys() ?? [])]);
  return [...keys].filter((key) => !isSameJson(old?.get(key), now?.get(key)));
}
