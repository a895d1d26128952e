import {
  finishedCondition,
  type StoredDaemonSet,
  type StoredPod,
  type StoredStatefulSet,
  trueCondition,
  type Workload,
} from '../../api/index.ts';
import {
  cannotStart,
  goalState,
  type GoalState,
  isNodeCondition,
  type PodGoal,
  type Root,
} from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { isPodReady, isTerminating } from '../base/pod-state.ts';
import { rolloutAnswer } from './rollout-answer.ts';

type Kind = Root['object']['kind'];

/** `ready` and `available` have a meaning of their own for each kind. */
type Wanted = 'ready' | 'available' | 'complete' | 'failed' | 'condition';

function wantedBy(goal: PodGoal): Wanted {
  if (goal.type !== 'condition') return goal.type === 'succeeded' ? 'complete' : 'failed';
  const condition = goal.condition.toLowerCase();
  return goal.status === 'True' && (condition === 'ready' || condition === 'available') ? condition : 'condition';
}

/** The goal as it counts for Pods, which are available when they are Ready. */
export function podGoal(goal: PodGoal): PodGoal {
  return wantedBy(goal) === 'available' ? { type: 'condition', condition: 'Ready', status: 'True' } : goal;
}

const WITH_CONDITIONS: ReadonlySet<Kind> = new Set<Kind>([
  'Pod',
  'Job',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
]);

/** True when objects of this kind can reach the goal. The goal passes over all other kinds. */
export function isLookedAt(goal: PodGoal, kind: Kind): boolean {
  const wanted = wantedBy(goal);
  switch (wanted) {
    case 'ready':
    case 'available':
      return true;
    case 'complete':
    case 'failed':
      return kind === 'Pod' || kind === 'Job';
    case 'condition': {
      const isOfPods = goal.type === 'condition' && isNodeCondition(goal.condition);
      return kind === 'Pod' || (WITH_CONDITIONS.has(kind) && !isOfPods);
    }
    default:
      return wanted satisfies never;
  }
}

/**
 * Returns whether a root has reached the goal, still can, or no longer can: a Job has Failed, a rollout has missed its
 * deadline, or none of the Pods that are not Ready can start on this machine.
 * @param root of a kind that the goal looks at
 */
export function rootGoalState(goal: PodGoal, root: Root): GoalState {
  const { object } = root;
  if (object.kind === 'Pod') return goalState(podGoal(goal), object);
  const isMet = isReached(goal, object) && hasItsPods(root);
  const isLeaving = root.isGone || hasDeletionTimestamp(object);
  if (isLeaving) return isMet && object.kind === 'Job' ? 'met' : 'impossible';
  if (isMet) return 'met';
  return isHopeless(goal, object) || (isAboutStarting(goal) && isStuck(root)) ? 'impossible' : 'pending';
}

/**
 * True when the Pods that the status counts as Ready exist. The record of an earlier run counts Pods that ended with
 * it.
 */
function hasItsPods({ object, pods }: Root): boolean {
  if (object.kind === 'Pod') return true;
  const ready = pods.filter((pod) => isPodReady(pod) && !hasDeletionTimestamp(pod)).length;
  return ready >= readyCount(object);
}

function readyCount(object: Workload): number {
  switch (object.kind) {
    case 'CronJob':
      return 0;
    case 'DaemonSet':
      return object.status?.numberReady ?? 0;
    case 'Job':
      return finishedCondition(object.status ?? {}) === undefined ? (object.status?.ready ?? 0) : 0;
    case 'Deployment':
    case 'ReplicaSet':
    case 'ReplicationController':
    case 'StatefulSet':
      return object.status?.readyReplicas ?? 0;
    default:
      return object satisfies never;
  }
}

function isReached(goal: PodGoal, object: Workload): boolean {
  const wanted = wantedBy(goal);
  switch (wanted) {
    case 'ready':
      return isWorkloadReady(object);
    case 'available':
      return isAvailable(object);
    case 'complete':
      return object.kind === 'Job' && trueCondition(object.status ?? {}, 'Complete') !== undefined;
    case 'failed':
      return object.kind === 'Job' && trueCondition(object.status ?? {}, 'Failed') !== undefined;
    case 'condition':
      return goal.type === 'condition' && hasCondition(object, goal.condition, goal.status) && isObserved(object);
    default:
      return wanted satisfies never;
  }
}

/** True for a workload whose Pods are Ready, as its status says. */
export function isWorkloadReady(object: Workload): boolean {
  switch (object.kind) {
    case 'CronJob':
      return true;
    case 'Job': {
      const { active = 0, ready = 0 } = object.status ?? {};
      return trueCondition(object.status ?? {}, 'Complete') !== undefined || (active > 0 && ready >= active);
    }
    case 'Deployment':
      return rolloutAnswer(object)?.state === 'done';
    case 'DaemonSet':
    case 'StatefulSet':
      return hasRollingUpdate(object) ? rolloutAnswer(object)?.state === 'done' : countOf(object).isFull('ready');
    case 'ReplicaSet':
    case 'ReplicationController':
      return countOf(object).isFull('ready');
    default:
      return object satisfies never;
  }
}

/** Without a rolling update old Pods are not replaced, so that a rollout has no end. */
function hasRollingUpdate({ spec }: StoredDaemonSet | StoredStatefulSet): boolean {
  return spec.updateStrategy?.type !== 'OnDelete';
}

function isAvailable(object: Workload): boolean {
  switch (object.kind) {
    case 'CronJob':
    case 'Job':
      return isWorkloadReady(object);
    case 'Deployment':
      return hasCondition(object, 'Available', 'True') && isObserved(object);
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'ReplicationController':
    case 'StatefulSet':
      return countOf(object).isFull('available');
    default:
      return object satisfies never;
  }
}

type Counted = Exclude<Workload, { kind: 'CronJob' | 'Deployment' | 'Job' }>;

/** Compares the counts of the status with the number of Pods that are wanted. */
function countOf(object: Counted): { isFull(count: 'ready' | 'available'): boolean } {
  const counts =
    object.kind === 'DaemonSet'
      ? {
          wanted: object.status?.desiredNumberScheduled,
          ready: object.status?.numberReady,
          available: object.status?.numberAvailable,
        }
      : {
          wanted: object.spec.replicas ?? 1,
          ready: object.status?.readyReplicas,
          available: object.status?.availableReplicas,
        };
  return { isFull: (count) => isObserved(object) && (counts[count] ?? 0) >= (counts.wanted ?? 0) };
}

/** True when the status is about the current spec. A Job has no such field: its conditions are of the one spec. */
function isObserved(object: Workload): boolean {
  if (object.kind === 'Job' || object.kind === 'CronJob') return true;
  return (object.status?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
}

function hasCondition(object: Workload, name: string, status: string): boolean {
  const { status: stored } = object;
  const conditions = stored !== undefined && 'conditions' in stored ? (stored.conditions ?? []) : [];
  return conditions.some(({ type, status: value }) => {
    return type?.toLowerCase() === name.toLowerCase() && value === status;
  });
}

function isHopeless(goal: PodGoal, object: Workload): boolean {
  if (object.kind === 'Job') {
    const { status = {} } = object;
    if (finishedCondition(status) !== undefined) return true;
    // The Pods still end, and the Job is Failed after them.
    return wantedBy(goal) === 'complete' && trueCondition(status, 'FailureTarget') !== undefined;
  }
  return object.kind === 'Deployment' && wantedBy(goal) !== 'condition' && rolloutAnswer(object)?.state === 'failed';
}

/** Other goals may be reached by Pods that never start: a Job has a deadline. */
function isAboutStarting(goal: PodGoal): boolean {
  return wantedBy(goal) !== 'condition' && wantedBy(goal) !== 'failed';
}

/** True when the Pods that are not Ready wait for what this machine does not have. */
function isStuck({ object, pods }: Root): boolean {
  const isJob = object.kind === 'Job';
  const unready = pods.filter((pod) => isUnended(pod) && !isPodReady(pod));
  if (unready.length === 0 || pods.some(isTerminating) || !unready.every(cannotStart)) return false;
  // A new revision may be about to replace them.
  return isJob || (object.kind !== 'Pod' && isObserved(object) && !isBehind(object));
}

function isUnended({ status: { phase } }: StoredPod): boolean {
  return phase !== 'Failed' && phase !== 'Succeeded';
}

/** True while no Pod of the current template exists. */
function isBehind(object: Workload): boolean {
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return (object.status?.updatedReplicas ?? 0) === 0;
    case 'DaemonSet':
      return (object.status?.updatedNumberScheduled ?? 0) === 0;
    case 'CronJob':
    case 'Job':
    case 'ReplicaSet':
    case 'ReplicationController':
      return false;
    default:
      return object satisfies never;
  }
}
