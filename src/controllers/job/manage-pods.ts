import type { Container, EnvVar, PodTemplateSpec, StoredPod } from '../../api/index.ts';
import { createAction, deleteAction, eventAction, patchAction, PODS_PER_SYNC } from '../base/actions.ts';
import { generatedName, podPrefix } from '../base/names.ts';
import { earliest, isPodReady, isTerminating, type NewPod, podFromTemplate } from '../base/pod-state.ts';
import type { ControllerAction, StoredJob } from '../base/reconcile.ts';
import { inOrderOfDeletion } from '../base/scale-down.ts';
import { COMPONENT, createdPod, deletedPod } from '../texts/pods.ts';
import { countsAsFailure, delayedUntilMs, failureDelayMs, finishedAtMs, JOB_BACKOFF } from './failures.ts';
import {
  FAILURE_COUNT_KEY,
  failureCountOf,
  IGNORED_COUNT_KEY,
  ignoredCountOf,
  INDEX_KEY,
  indexOf,
  isIndexed,
  isSuspended,
  JOB_FINALIZER,
  replacesOnlyFailed,
  withoutJobFinalizer,
} from './job-pods.ts';
import { absoluteFailures, failuresOnRecord, type JobInput, type JobView } from './job-view.ts';

/** Writes about Pods, and what is active, ready and terminating after them. */
export interface Managed {
  readonly actions: readonly ControllerAction[];
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly lookAgainAtMs?: number | undefined;
}

/** Creates and deletes no Pods. */
export function leavePods({ active, ready, terminating }: JobView): Managed {
  return { actions: [], active: active.length, ready, terminating };
}

/** Deletes all active Pods of a Job that has come to its end. They keep their finalizer: they are still counted. */
export function deleteActivePods(view: JobView): Managed {
  return withoutPods(view, view.active, false);
}

/**
 * Makes as many Pods active as the Job wants. Deletes or creates, never both in one sync.
 * Source: pkg/controller/job/job_controller.go manageJob.
 */
export function managePods(view: JobView, input: JobInput): Managed {
  const { job, spec, active, succeeded } = view;
  const { parallelism = 1, completions } = spec;
  if (isSuspended(job)) return withoutPods(view, surplusPods(view, active.length), true);
  const missing = (completions ?? 0) - succeeded;
  const atWork = succeeded > 0 ? active.length : parallelism;
  const wanted = completions === undefined ? atWork : Math.max(0, Math.min(parallelism, missing));
  const surplus = surplusPods(view, Math.max(0, active.length - wanted));
  if (surplus.length > 0) return withoutPods(view, surplus.slice(0, PODS_PER_SYNC), true);
  const terminating = replacesOnlyFailed(job) ? view.terminating : 0;
  return withPods(view, Math.min(PODS_PER_SYNC, wanted - terminating - active.length), input);
}

/** @param isUncounted true: their ends do not count, so that they lose their finalizer first */
function withoutPods(view: JobView, pods: readonly StoredPod[], isUncounted: boolean): Managed {
  const { job, active, ready, terminating } = view;
  const deletions = pods.flatMap((pod) => [
    deleteAction(pod),
    eventAction(job, COMPONENT.job, deletedPod(pod.metadata.name)),
  ]);
  return {
    actions: [...(isUncounted ? pods.map((pod) => patchAction(pod, withoutJobFinalizer(pod))) : []), ...deletions],
    active: active.length - pods.length,
    ready: ready - pods.filter(isPodReady).length,
    terminating: terminating + pods.length,
  };
}

function withPods(view: JobView, count: number, input: JobInput): Managed {
  const { job, active } = view;
  const idle = leavePods(view);
  if (count <= 0) return idle;
  const delayMs = delayOfAll(view, input);
  if (delayMs > input.now.wallMs) return { ...idle, lookAgainAtMs: delayMs };
  const { indexes, lookAgainAtMs } = indexesToStart(view, count, input);
  const pods = indexes.map((index) =>
    newJobPod(job, input.suffix(), index, index === undefined ? undefined : view.toReplace.get(index)),
  );
  return {
    ...idle,
    actions: pods.flatMap((pod) => [createAction(pod), eventAction(job, COMPONENT.job, createdPod(pod.metadata.name))]),
    active: active.length + pods.length,
    lookAgainAtMs,
  };
}

/** The time from which Pods may be made. With backoffLimitPerIndex each index has its own. */
function delayOfAll(view: JobView, { delay = JOB_BACKOFF, removedPods }: JobInput): number {
  if (view.spec.backoffLimitPerIndex !== undefined) return 0;
  const succeeded = view.pods.filter(({ status }) => status.phase === 'Succeeded');
  return delayedUntilMs(failuresOnRecord(view, removedPods), succeeded, delay);
}

/** One entry for each Pod to create: its index, or undefined in a Job that is not Indexed. */
interface Starts {
  readonly indexes: readonly (number | undefined)[];
  readonly lookAgainAtMs?: number | undefined;
}

/** Source: indexed_job_utils.go firstPendingIndexes; job_controller.go getPodCreationInfoForIndependentIndexes. */
function indexesToStart(view: JobView, count: number, { delay = JOB_BACKOFF, now }: JobInput): Starts {
  if (!isIndexed(view.job)) return { indexes: Array<undefined>(count).fill(undefined) };
  const pending = pendingIndexes(view, count);
  const starts = pending.map((index) => ({ index, fromMs: startOfIndex(view, index, delay) }));
  const later = starts.filter(({ fromMs }) => fromMs > now.wallMs);
  return {
    indexes: starts.filter(({ fromMs }) => fromMs <= now.wallMs).map(({ index }) => index),
    lookAgainAtMs: earliest(later.map(({ fromMs }) => fromMs)),
  };
}

function pendingIndexes(view: JobView, count: number): number[] {
  const busy = new Set(
    [...view.active, ...(replacesOnlyFailed(view.job) ? view.pods.filter(isTerminating) : [])].map(indexOf),
  );
  const pending: number[] = [];
  for (let index = 0; index < view.completions && pending.length < count;) {
    const open = view.succeededIndexes.firstWithout(view.failedIndexes?.firstWithout(index) ?? index);
    if (open === index && !busy.has(index)) pending.push(index);
    index = Math.max(open, index + 1);
  }
  return pending;
}

/** The time from which a failed index may be tried again: each of its failures doubles its delay. */
function startOfIndex(view: JobView, index: number, delay: typeof JOB_BACKOFF): number {
  const replaced = view.toReplace.get(index);
  return replaced === undefined ? 0 : finishedAtMs(replaced) + failureDelayMs(absoluteFailures(replaced) + 1, delay);
}

/**
 * The Pods to delete, at least `count`. Of an Indexed Job first those without an index of the Job, and all but one of
 * each index. Source: indexed_job_utils.go appendDuplicatedIndexPodsForRemoval; job_controller.go activePodsForRemoval.
 */
function surplusPods({ job, active, completions }: JobView, count: number): StoredPod[] {
  const doubles = isIndexed(job) ? doublesIn(active, completions) : [];
  const others = active.filter((pod) => !doubles.includes(pod));
  return [...doubles, ...inOrderOfDeletion(others).slice(0, Math.max(0, count - doubles.length))];
}

function doublesIn(active: readonly StoredPod[], completions: number): StoredPod[] {
  const groups = new Map<number, StoredPod[]>();
  for (const pod of active) {
    const index = Math.min(indexOf(pod) ?? completions, completions);
    groups.set(index, [...(groups.get(index) ?? []), pod]);
  }
  return [...groups].flatMap(([index, pods]) =>
    index >= completions ? pods : inOrderOfDeletion(pods).slice(0, pods.length - 1),
  );
}

const INDEX_VARIABLE: EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_KEY}']` } },
};

/**
 * A Pod of the Job, with the finalizer that keeps it until it is counted. One of an Indexed Job also has its index as
 * label, annotation, host name and variable. Source: pkg/controller/job/job_controller.go manageJob,
 * indexed_job_utils.go addCompletionIndexEnvVariables.
 * @param index undefined: the Job is not Indexed
 * @param replaced the failed Pod of this index whose failures the new one carries on
 */
function newJobPod(job: StoredJob, suffix: string, index: number | undefined, replaced: StoredPod | undefined): NewPod {
  const prefix = podPrefix(index === undefined ? job.metadata.name : `${job.metadata.name}-${index}`);
  const template = index === undefined ? job.spec.template : indexedTemplate(job, index, replaced);
  const pod = podFromTemplate(job, template, { name: generatedName(prefix, suffix), generateName: prefix });
  const finalizers = [...(pod.metadata.finalizers ?? []), JOB_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

function indexedTemplate(job: StoredJob, index: number, replaced: StoredPod | undefined): PodTemplateSpec {
  const { metadata, spec = { containers: [] } } = job.spec.template;
  const own = { [INDEX_KEY]: String(index) };
  const { initContainers } = spec;
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...own },
      annotations: { ...metadata?.annotations, ...own, ...failureCounts(job, replaced) },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: spec.containers.map(withIndexVariable),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withIndexVariable) }),
    },
  };
}

function withIndexVariable(container: Container): Container {
  const { env = [] } = container;
  return env.some(({ name }) => name === INDEX_VARIABLE.name)
    ? container
    : { ...container, env: [...env, INDEX_VARIABLE] };
}

/** Source: indexed_job_utils.go getNewIndexFailureCounts. */
function failureCounts(job: StoredJob, replaced: StoredPod | undefined): Record<string, string> {
  if (!isIndexed(job) || job.spec.backoffLimitPerIndex === undefined) return {};
  if (replaced === undefined) return { [FAILURE_COUNT_KEY]: '0' };
  const counts = countsAsFailure(job.spec.podFailurePolicy, replaced);
  const ignored = ignoredCountOf(replaced) + (counts ? 0 : 1);
  return {
    [FAILURE_COUNT_KEY]: String(failureCountOf(replaced) + (counts ? 1 : 0)),
    ...(ignored === 0 ? {} : { [IGNORED_COUNT_KEY]: String(ignored) }),
  };
}
