import { type DaemonSetStatus, isTerminalPhase, matchesSelector, parseTime, type StoredPod } from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { createAction, deleteAction, eventAction, statusActions } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import { earliest, isAvailable, isPodReady, nextAvailableMs } from '../base/pod-state.ts';
import type {
  ActionFailure,
  ControllerAction,
  ControllerEvent,
  PodsInput,
  Reconciliation,
  StoredDaemonSet,
  StoredRevision,
} from '../base/reconcile.ts';
import { expiredHistory, inOrderOfRevision, updateRevisionOf } from '../base/revision-history.ts';
import { scaledValue } from '../deployment/rollout-arithmetic.ts';
import {
  COMPONENT,
  createdPod,
  daemonSelectsAll,
  deletedPod,
  failedCreate,
  failedDaemonPod,
  failedDelete,
  succeededDaemonPod,
} from '../texts/pods.ts';
import { HASH_LABEL, isUpdated, newDaemonPod, type NodeFit, nodeFit } from './daemon-pod.ts';

/** Beside Pods: the revisions of the namespace, and the only node. */
interface DaemonSetInput extends PodsInput {
  readonly revisions: readonly StoredRevision[];
  readonly node: NodeFacts;
  /** The last states of Pods that are gone, as far as the loop saw them: failed ones delay the deletion of the next. */
  readonly removedPods?: readonly StoredPod[] | undefined;
}

/** All that one sync reads. */
interface DaemonView {
  readonly daemonSet: StoredDaemonSet;
  /** Pods on the node, the oldest first. Ended ones that are being deleted do not count. */
  readonly pods: readonly StoredPod[];
  readonly fit: NodeFit;
  readonly hash: string;
  readonly input: DaemonSetInput;
}

/** One sync of a DaemonSet on one node. Source: pkg/controller/daemon/daemon_controller.go syncDaemonSet. */
export function reconcileDaemonSet(daemonSet: StoredDaemonSet, input: DaemonSetInput): Reconciliation {
  const { spec, status, metadata } = daemonSet;
  if (Object.keys(spec.selector ?? {}).length === 0) return { actions: [tell(daemonSet, daemonSelectsAll())] };
  if (hasDeletionTimestamp(daemonSet)) return { actions: [] };
  const isOurs = (labels: StoredPod['metadata']['labels']): boolean => matchesSelector(spec.selector, labels);
  const pods = claimObjects(daemonSet, input.pods, { matches: (pod) => isOurs(pod.metadata.labels) });
  const revised = claimObjects(daemonSet, input.revisions, {
    matches: (revision) => isOurs(revision.metadata.labels),
  });
  const claimed = [...pods.actions, ...revised.actions];
  if (claimed.length > 0) return { actions: claimed };
  const { failure } = input;
  const revisions = inOrderOfRevision(revised.owned);
  const style = { hashLabel: HASH_LABEL, annotations: metadata.annotations, collisionCount: status?.collisionCount };
  const { revision, actions } = updateRevisionOf(daemonSet, spec.template, revisions, style);
  if (revision === undefined) return { actions: failure?.alreadyExists ? countCollision(daemonSet) : actions };
  const hash = hashOf(revision);
  const counted = pods.owned.filter((pod) => !hasDeletionTimestamp(pod) || !isTerminalPhase(pod.status.phase));
  const view = { daemonSet, pods: counted.toSorted(byAge), fit: nodeFit(daemonSet, input.node), hash, input };
  const used = new Set([hash, ...pods.owned.map(({ metadata: { labels } }) => labels?.[HASH_LABEL])]);
  const expired = expiredHistory(revisions, (one) => used.has(hashOf(one)), spec.revisionHistoryLimit);
  const delayMs = counted.some(isFailed) ? delayOf(view) : undefined;
  return {
    actions: [
      ...(failure === undefined ? planPods(view) : [failureEvent(daemonSet, failure)]),
      ...statusActions(daemonSet, statusOf(view)),
      ...expired.map((one) => deleteAction(one)),
    ],
    lookAgainAtMs: earliest([nextAvailableMs(counted, spec.minReadySeconds, input.now.wallMs), delayMs]),
  };
}

const tell = (daemonSet: StoredDaemonSet, event: ControllerEvent): ControllerAction =>
  eventAction(daemonSet, COMPONENT.daemonSet, event);

const isFailed = ({ status }: StoredPod): boolean => status.phase === 'Failed';

function hashOf({ metadata }: StoredRevision): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
}

function byAge({ metadata: a, spec: left }: StoredPod, { metadata: b, spec: right }: StoredPod): number {
  const scheduled = Number(Boolean(right.nodeName)) - Number(Boolean(left.nodeName));
  if (scheduled !== 0) return scheduled;
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** A revision whose name is taken gets another hash. */
function countCollision(daemonSet: StoredDaemonSet): ControllerAction[] {
  const { status } = daemonSet;
  if (status === undefined) return [];
  return statusActions(daemonSet, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
}

function failureEvent(daemonSet: StoredDaemonSet, { type, error }: ActionFailure): ControllerAction {
  return tell(daemonSet, type === 'create' ? failedCreate(error) : failedDelete(error));
}

/** The update continues when the node has the Pods that it is to have. */
function planPods(view: DaemonView): ControllerAction[] {
  const managed = manage(view);
  return managed.length > 0 ? managed : rollOut(view);
}

function delayOf({ daemonSet, input }: DaemonView): number | undefined {
  const removed = (input.removedPods ?? []).filter((pod) => isControlledBy(pod, daemonSet));
  const fromMs = killableFromMs(removed);
  return fromMs > input.now.wallMs ? fromMs : undefined;
}

/** Source: daemon_controller.go manage, podsShouldBeOnNode. */
function manage(view: DaemonView): ControllerAction[] {
  const { daemonSet, pods, fit } = view;
  if (fit.shouldRun && pods.length === 0) return create(view);
  const staying = pods.filter((pod) => !hasDeletionTimestamp(pod));
  if (!fit.mayStay) return staying.flatMap((pod) => remove(daemonSet, pod));
  const running = staying.filter(({ status }) => !isTerminalPhase(status.phase));
  const ended = staying.filter(({ status }) => isTerminalPhase(status.phase)).flatMap((pod) => removeEnded(view, pod));
  if (!allowsSurge(daemonSet)) return [...ended, ...running.slice(1).flatMap((pod) => remove(daemonSet, pod))];
  const missing = running.length === 0 && fit.shouldRun ? create(view) : [];
  return [...missing, ...ended, ...surplusOfSurge(view, running).flatMap((pod) => remove(daemonSet, pod))];
}

/** Failed Pods go one after the other, with a delay that doubles. */
function removeEnded(view: DaemonView, pod: StoredPod): ControllerAction[] {
  const { daemonSet, input } = view;
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  if (!isFailed(pod)) return [tell(daemonSet, succeededDaemonPod(name, input.node.name)), ...remove(daemonSet, pod)];
  if (delayOf(view) !== undefined) return [];
  return [tell(daemonSet, failedDaemonPod(name, input.node.name)), ...remove(daemonSet, pod)];
}

/** Two Pods may stay while the new one is not available and the old one is ready. */
function surplusOfSurge({ daemonSet, hash, input }: DaemonView, running: readonly StoredPod[]): StoredPod[] {
  const isNew = (pod: StoredPod): boolean => isUpdated(daemonSet, pod.metadata.labels, hash);
  const news = running.filter(isNew);
  const olds = running.filter((pod) => !isNew(pod));
  const [newest] = news;
  const [old] = olds;
  const surplus = [...news.slice(1), ...olds.slice(1)];
  if (newest === undefined || old === undefined) return surplus;
  const isReplaced = !isPodReady(old) || isAvailable(newest, daemonSet.spec.minReadySeconds, input.now.wallMs);
  return isReplaced ? [...surplus, old] : surplus;
}

/**
 * One step of a rolling update: deletes the old Pod, or, with a surge, makes the new one beside it. The old Pod goes
 * when the new one is available: see `surplusOfSurge`. Source: pkg/controller/daemon/update.go rollingUpdate.
 */
function rollOut(view: DaemonView): ControllerAction[] {
  const { daemonSet, pods, hash, input } = view;
  if (daemonSet.spec.updateStrategy?.type !== 'RollingUpdate') return [];
  const staying = pods.filter((pod) => !hasDeletionTimestamp(pod));
  const [pod] = staying;
  if (pod === undefined || staying.length > 1 || isUpdated(daemonSet, pod.metadata.labels, hash)) return [];
  const canSpare = !isAvailable(pod, daemonSet.spec.minReadySeconds, input.now.wallMs);
  if (allowsSurge(daemonSet)) return view.fit.shouldRun ? create(view) : [];
  const { maxUnavailable } = daemonSet.spec.updateStrategy.rollingUpdate ?? {};
  return canSpare || scaledValue(maxUnavailable, 1, Math.ceil) > 0 ? remove(daemonSet, pod) : [];
}

function allowsSurge({ spec }: StoredDaemonSet): boolean {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'RollingUpdate' && scaledValue(rollingUpdate?.maxSurge, 1, Math.ceil) > 0;
}

function create({ daemonSet, hash, input }: DaemonView): ControllerAction[] {
  const pod = newDaemonPod(daemonSet, input.node.name, hash, input.suffix());
  return [createAction(pod), tell(daemonSet, createdPod(pod.metadata.name))];
}

function remove(daemonSet: StoredDaemonSet, pod: StoredPod): ControllerAction[] {
  return [deleteAction(pod), tell(daemonSet, deletedPod(pod.metadata.name))];
}

/** The counts of the one node, by its oldest Pod. Source: daemon_controller.go updateDaemonSetStatus. */
function statusOf({ daemonSet, pods, fit, hash, input }: DaemonView): DaemonSetStatus {
  const { spec, status, metadata } = daemonSet;
  const desired = Number(fit.shouldRun);
  const [pod] = fit.shouldRun ? pods : [];
  const isServing = pod !== undefined && isPodReady(pod);
  const available = Number(isServing && isAvailable(pod, spec.minReadySeconds, input.now.wallMs));
  const updated = Number(pod !== undefined && isUpdated(daemonSet, pod.metadata.labels, hash));
  return {
    ...status,
    currentNumberScheduled: Number(pod !== undefined),
    numberMisscheduled: Number(!fit.shouldRun && pods.length > 0),
    desiredNumberScheduled: desired,
    numberReady: Number(isServing),
    observedGeneration: metadata.generation,
    updatedNumberScheduled: updated || undefined,
    numberAvailable: available || undefined,
    numberUnavailable: desired - available || undefined,
  };
}

/**
 * The delay between deletions of failed Pods. Source: pkg/controller/daemon/daemon_controller.go, failedPodsBackoff.
 */
const INITIAL_MS = 1000;
const MAX_MS = 15 * 60_000;
/** After this pause the delay begins anew. Source: client-go flowcontrol/backoff.go hasExpired. */
const RESET_MS = 2 * MAX_MS;

/**
 * The time from which the next failed Pod may be deleted: each deletion doubles the delay.
 * @param removed Pods of the DaemonSet that are gone, as far as the loop saw them
 */
function killableFromMs(removed: readonly StoredPod[]): number {
  const failed = removed.filter(({ status }) => status.phase === 'Failed');
  const times = failed.map(({ metadata }) => parseTime(metadata.deletionTimestamp ?? '')).filter((time) => time > 0);
  const newestFirst = times.toSorted((a, b) => b - a);
  const pause = newestFirst.findIndex((time, index) => time - (newestFirst[index + 1] ?? 0) > RESET_MS);
  const kills = pause + 1;
  return kills === 0 ? 0 : (newestFirst[0] ?? 0) + Math.min(MAX_MS, INITIAL_MS * 2 ** Math.min(kills - 1, 20));
}
