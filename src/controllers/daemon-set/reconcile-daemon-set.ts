import { type DaemonSetStatus, isTerminalPhase, matchesSelector, parseTime, type StoredPod } from '../../api/index.ts';
import { createAction, deleteAction, eventAction, PODS_PER_SYNC, statusActions } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import { earliest, isPodReady, nextAvailableMs } from '../base/pod-state.ts';
import type {
  ActionFailure,
  ControllerAction,
  ControllerEvent,
  Reconciliation,
  StoredDaemonSet,
  StoredRevision,
} from '../base/reconcile.ts';
import { expiredHistory, inOrderOfRevision, updateRevisionOf } from '../base/revision-history.ts';
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
import { HASH_LABEL, newDaemonPod, targetNode } from './daemon-pod.ts';
import {
  type DaemonNode,
  type DaemonSetInput,
  type DaemonView,
  isNewest,
  isServing,
  isStaying,
  viewDaemons,
} from './daemon-view.ts';
import { allowsSurge, rollOutDaemons } from './roll-out-daemons.ts';

/** One sync of a DaemonSet. Source: pkg/controller/daemon/daemon_controller.go syncDaemonSet. */
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
  const view = viewDaemons(daemonSet, counted, hash, input);
  const used = new Set([hash, ...pods.owned.map(({ metadata: { labels } }) => labels?.[HASH_LABEL])]);
  const expired = expiredHistory(revisions, (one) => used.has(hashOf(one)), spec.revisionHistoryLimit);
  const delays = view.nodes.map(({ name, pods: all }) => (all.some(isFailed) ? delayOf(view, name) : undefined));
  return {
    actions: [
      ...(failure === undefined ? planPods(view) : [failureEvent(daemonSet, failure)]),
      ...statusActions(daemonSet, statusOf(view)),
      ...expired.map((one) => deleteAction(one)),
    ],
    lookAgainAtMs: earliest([nextAvailableMs(counted, spec.minReadySeconds, input.now.wallMs), ...delays]),
  };
}

const tell = (daemonSet: StoredDaemonSet, event: ControllerEvent): ControllerAction =>
  eventAction(daemonSet, COMPONENT.daemonSet, event);

const isEnded = ({ status }: StoredPod): boolean => isTerminalPhase(status.phase);
const isFailed = ({ status }: StoredPod): boolean => status.phase === 'Failed';

function hashOf({ metadata }: StoredRevision): string {
  return metadata.labels?.[HASH_LABEL] ?? '';
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

/** The update continues when each node has the Pods that it is to have. */
function planPods(view: DaemonView): ControllerAction[] {
  const managed = manage(view);
  if (managed.length > 0) return managed;
  const { create, remove } = rollOutDaemons(view);
  return [
    ...create.flatMap((name) => createOn(view, name)),
    ...remove.flatMap((pod) => removePod(view.daemonSet, pod)),
  ];
}

function delayOf({ daemonSet, input }: DaemonView, nodeName: string): number | undefined {
  const removed = (input.removedPods ?? []).filter((pod) => isControlledBy(pod, daemonSet));
  const fromMs = killableFromMs(removed.filter((pod) => targetNode(pod) === nodeName));
  return fromMs > input.now.wallMs ? fromMs : undefined;
}

/** Creations come first. Source: daemon_controller.go manage, syncNodes. */
function manage(view: DaemonView): ControllerAction[] {
  const { daemonSet, nodes, strays } = view;
  const created = nodes.filter((node) => lacksPod(view, node)).slice(0, PODS_PER_SYNC);
  // The scheduler never binds these, and no node ends them.
  const unbound = strays.filter(({ spec }) => !spec.nodeName).filter(isStaying);
  return [
    ...created.flatMap(({ name }) => createOn(view, name)),
    ...nodes.flatMap((node) => removeSurplus(view, node)),
    ...unbound.flatMap((pod) => removePod(daemonSet, pod)),
  ];
}

/** With a surge, a Pod that is being deleted does not delay the next one. */
function lacksPod({ daemonSet }: DaemonView, { fit, pods }: DaemonNode): boolean {
  if (!fit.shouldRun) return false;
  return pods.length === 0 || (allowsSurge(daemonSet) && pods.filter(isStaying).every(isEnded));
}

/** Source: daemon_controller.go podsShouldBeOnNode. */
function removeSurplus(view: DaemonView, node: DaemonNode): ControllerAction[] {
  const { daemonSet } = view;
  const staying = node.pods.filter(isStaying);
  if (!node.fit.mayStay) return staying.flatMap((pod) => removePod(daemonSet, pod));
  const running = staying.filter((pod) => !isEnded(pod));
  const surplus = allowsSurge(daemonSet) ? surplusOfSurge(view, running) : running.slice(1);
  return [
    ...staying.filter(isEnded).flatMap((pod) => removeEnded(view, node, pod)),
    ...surplus.flatMap((pod) => removePod(daemonSet, pod)),
  ];
}

/** Failed Pods of a node go one after the other, with a delay that doubles. */
function removeEnded(view: DaemonView, { name: nodeName }: DaemonNode, pod: StoredPod): ControllerAction[] {
  const { daemonSet } = view;
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  if (!isFailed(pod)) return [tell(daemonSet, succeededDaemonPod(name, nodeName)), ...removePod(daemonSet, pod)];
  if (delayOf(view, nodeName) !== undefined) return [];
  return [tell(daemonSet, failedDaemonPod(name, nodeName)), ...removePod(daemonSet, pod)];
}

/** Two Pods may stay while the new one is not available and the old one is ready. */
function surplusOfSurge(view: DaemonView, running: readonly StoredPod[]): StoredPod[] {
  const news = running.filter((pod) => isNewest(view, pod));
  const olds = running.filter((pod) => !isNewest(view, pod));
  const [newest] = news;
  const [old] = olds;
  const surplus = [...news.slice(1), ...olds.slice(1)];
  if (newest === undefined || old === undefined) return surplus;
  return !isPodReady(old) || isServing(view, newest) ? [...surplus, old] : surplus;
}

function createOn({ daemonSet, hash, input }: DaemonView, nodeName: string): ControllerAction[] {
  const pod = newDaemonPod(daemonSet, nodeName, hash, input.suffix());
  return [createAction(pod), tell(daemonSet, createdPod(pod.metadata.name))];
}

function removePod(daemonSet: StoredDaemonSet, pod: StoredPod): ControllerAction[] {
  return [deleteAction(pod), tell(daemonSet, deletedPod(pod.metadata.name))];
}

/** The counts of nodes, by the oldest Pod of each. Source: daemon_controller.go updateDaemonSetStatus. */
function statusOf(view: DaemonView): DaemonSetStatus {
  const { status, metadata } = view.daemonSet;
  const wanted = view.nodes.filter(({ fit }) => fit.shouldRun);
  const oldest = wanted.flatMap(({ pods }) => pods.slice(0, 1));
  const ready = oldest.filter(isPodReady);
  const available = ready.filter((pod) => isServing(view, pod)).length;
  return {
    ...status,
    currentNumberScheduled: oldest.length,
    numberMisscheduled: view.nodes.filter(({ fit, pods }) => !fit.shouldRun && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready.length,
    observedGeneration: metadata.generation,
    updatedNumberScheduled: oldest.filter((pod) => isNewest(view, pod)).length || undefined,
    numberAvailable: available || undefined,
    numberUnavailable: wanted.length - available || undefined,
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
