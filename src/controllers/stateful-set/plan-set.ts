import { isTerminalPhase, type PodTemplateSpec, type StoredPod } from '../../api/index.ts';
import { createAction, deleteAction, eventAction, patchAction, PODS_PER_SYNC } from '../base/actions.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction, StoredClaim, StoredStatefulSet } from '../base/reconcile.ts';
import { COMPONENT, podDone } from '../texts/pods.ts';
import {
  hasStaleClaim,
  isHealthy,
  missingClaims,
  missingIdentity,
  newSetPod,
  ordinalOf,
  ordinalRange,
  retainedClaims,
  revisionOfPod,
} from './set-pods.ts';

/** A revision, as far as Pods are made of it. */
export interface SetRevision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export interface SetView {
  readonly set: StoredStatefulSet;
  readonly pods: readonly StoredPod[];
  readonly claims: readonly StoredClaim[];
  /** The revision that the set comes from, and the one of its template. */
  readonly current: SetRevision;
  readonly update: SetRevision;
  readonly nowMs: number;
}

/** The writes of one sync, and whether a Pod of the current revision was deleted for an update. */
export interface SetPlan {
  readonly actions: readonly ControllerAction[];
  readonly hasDeletedCurrent: boolean;
}

/** Actions about one Pod. `isBlocking`: in order, nothing further may happen now. */
interface PodStep {
  readonly actions: readonly ControllerAction[];
  readonly isBlocking: boolean;
}

const GO_ON: PodStep = { actions: [], isBlocking: false };
const WAIT: PodStep = { actions: [], isBlocking: true };

/**
 * One sync of the Pods: those in the range from the lowest up, those beyond it from the highest down, then the update.
 * With OrderedReady the first of them that is not done ends the sync.
 * Source: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet.
 */
export function planSet(view: SetView): SetPlan {
  const { set } = view;
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const { start, end } = ordinalRange(set);
  const podOf = podsByOrdinal(view);
  const actions: ControllerAction[] = [];
  let created = 0;
  const takes = ({ actions: next, isBlocking }: PodStep): boolean => {
    actions.push(...next);
    created += next.filter(({ type }) => type === 'create').length;
    return isBlocking && isOrdered;
  };
  for (let ordinal = start; ordinal < end; ordinal += 1) {
    if (created >= PODS_PER_SYNC || takes(keepPod(view, ordinal, podOf(ordinal))))
      return { actions, hasDeletedCurrent: false };
  }
  const condemned = condemnedPods(view);
  actions.push(
    ...condemned.flatMap((pod) => retainedClaims(set, ordinalOf(set, pod.metadata.name) ?? 0, view.claims, pod)),
  );
  const firstUnhealthy = condemned.findLast((pod) => !isHealthy(set, pod, view.nowMs));
  for (const pod of condemned) {
    if (takes(removePod(view, pod, pod === firstUnhealthy))) return { actions, hasDeletedCurrent: false };
  }
  const outdated = outdatedPod(view, podOf);
  if (outdated !== undefined) actions.push(...deletion(set, outdated));
  return { actions, hasDeletedCurrent: outdated !== undefined && revisionOfPod(outdated) === view.current.name };
}

function podsByOrdinal({ set, pods }: SetView): (ordinal: number) => StoredPod | undefined {
  const known = new Map(pods.map((pod) => [ordinalOf(set, pod.metadata.name), pod]));
  return (ordinal) => known.get(ordinal);
}

/**
 * Makes the Pod of an ordinal. One that has ended is deleted first, and made anew when it is gone. Source:
 * processReplica.
 */
function keepPod(view: SetView, ordinal: number, pod: StoredPod | undefined): PodStep {
  const { set, claims, nowMs } = view;
  if (pod === undefined) return hasStaleClaim(set, ordinal, claims) ? WAIT : createPod(view, ordinal);
  if (isTerminalPhase(pod.status.phase)) {
    return { actions: hasDeletionTimestamp(pod) ? [] : deletion(set, pod), isBlocking: true };
  }
  const repaired = pod.status.phase === 'Pending' ? missingClaims(set, ordinal, claims) : [];
  if (!isHealthy(set, pod, nowMs)) return { actions: repaired, isBlocking: true };
  const retained = retainedClaims(set, ordinal, claims);
  const labels = missingIdentity(pod, ordinal);
  if (Object.keys(labels).length === 0) return { ...GO_ON, actions: retained };
  const { name } = pod.metadata;
  const updated = eventAction(set, COMPONENT.statefulSet, podDone('Update', name, set.metadata.name));
  return { actions: [...retained, patchAction(pod, { metadata: { labels } }), updated], isBlocking: false };
}

/** Below the partition a Pod comes back in the current revision. Source: newVersionedStatefulSetPod. */
function createPod({ set, claims, current, update }: SetView, ordinal: number): PodStep {
  const { updateStrategy } = set.spec;
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  const isHeldBack = updateStrategy?.type === 'RollingUpdate' && ordinal < ordinalRange(set).start + partition;
  const { name, template } = isHeldBack ? current : update;
  const pod = newSetPod(set, template, ordinal, name);
  const created = eventAction(set, COMPONENT.statefulSet, podDone('Create', pod.metadata.name, set.metadata.name));
  return { actions: [...missingClaims(set, ordinal, claims), createAction(pod), created], isBlocking: true };
}

/** Pods beyond the range, the highest first. */
function condemnedPods({ set, pods }: SetView): StoredPod[] {
  const { start, end } = ordinalRange(set);
  const numbered = pods.map((pod) => ({ pod, ordinal: ordinalOf(set, pod.metadata.name) ?? -1 }));
  const beyond = numbered.filter(({ ordinal }) => ordinal >= 0 && (ordinal < start || ordinal >= end));
  return beyond.toSorted((a, b) => b.ordinal - a.ordinal).map(({ pod }) => pod);
}

/** A Pod that is not available holds up the rest, unless it is the first unavailable Pod. Source: processCondemned. */
function removePod({ set, nowMs }: SetView, pod: StoredPod, isFirstUnhealthy: boolean): PodStep {
  if (hasDeletionTimestamp(pod)) return WAIT;
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  if (isOrdered && !isHealthy(set, pod, nowMs) && !isFirstUnhealthy) return WAIT;
  return { actions: deletion(set, pod), isBlocking: true };
}

/**
 * The Pod that is to be replaced for an update: the highest one of another revision. A Pod that is not healthy stops
 * the walk, so that the next goes only when the last has come back.
 */
function outdatedPod(view: SetView, podOf: (ordinal: number) => StoredPod | undefined): StoredPod | undefined {
  const { set, update, nowMs } = view;
  const { updateStrategy } = set.spec;
  if (updateStrategy?.type !== 'RollingUpdate') return undefined;
  const { start, end } = ordinalRange(set);
  const lowest = start + (updateStrategy.rollingUpdate?.partition ?? 0);
  for (let ordinal = end - 1; ordinal >= lowest; ordinal -= 1) {
    const pod = podOf(ordinal);
    if (pod === undefined) return undefined;
    if (revisionOfPod(pod) !== update.name && !hasDeletionTimestamp(pod)) return pod;
    if (!isHealthy(set, pod, nowMs)) return undefined;
  }
  return undefined;
}

function deletion(set: StoredStatefulSet, pod: StoredPod): ControllerAction[] {
  const event = podDone('Delete', pod.metadata.name, set.metadata.name);
  return [deleteAction(pod), eventAction(set, COMPONENT.statefulSet, event)];
}
