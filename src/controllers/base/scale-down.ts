import { isSidecar, parseTime, type StoredPod } from '../../api/index.ts';
import { isActive, isPodReady, readyConditionOf } from './pod-state.ts';

const DELETION_COST_KEY = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES = ['Pending', 'Unknown', 'Running'];

/** Numbers that compare two Pods: the Pod with the smaller one is deleted first. */
type Rank = (pod: StoredPod) => number;

/**
 * The order in which Pods are deleted when there are too many. Two Pods that are alike but for their times are compared
 * by these times, where a cluster rounds them to powers of two: the younger goes first. Source:
 * pkg/controller/controller_utils.go ActivePodsWithRanks, pkg/controller/replicaset/replica_set.go
 * getPodsRankedByRelatedPodsOnSameNode.
 * @param related the Pods of all ReplicaSets of the same Deployment: of a node that has more of them, Pods go first.
 *   Undefined: neither that nor the annotation with the cost decides, as for Jobs (ActivePods)
 */
export function inOrderOfDeletion(pods: readonly StoredPod[], related?: readonly StoredPod[]): StoredPod[] {
  const onNode = new Map<string | undefined, number>();
  for (const { spec } of (related ?? []).filter(isActive)) {
    onNode.set(spec.nodeName, (onNode.get(spec.nodeName) ?? 0) + 1);
  }
  const ranks: Rank[] = [
    ({ spec }) => Number(Boolean(spec.nodeName)),
    ({ status }) => PHASES.indexOf(status.phase ?? 'Pending'),
    (pod) => Number(isPodReady(pod)),
    ...(related === undefined ? [] : [deletionCost, ({ spec }: StoredPod) => -(onNode.get(spec.nodeName) ?? 0)]),
    (pod) => (isPodReady(pod) ? -timeOf(readyConditionOf(pod)?.lastTransitionTime) : 0),
    (pod) => -restarts(pod, false),
    (pod) => -restarts(pod, true),
    ({ metadata }) => -timeOf(metadata.creationTimestamp),
  ];
  // Each Pod is looked at once, not for each comparison: there may be thousands.
  const ranked = pods.map((pod) => ({ pod, numbers: ranks.map((rank) => rank(pod)) }));
  return ranked.toSorted(comesFirst).map(({ pod }) => pod);
}

interface RankedPod {
  readonly pod: StoredPod;
  readonly numbers: readonly number[];
}

function comesFirst(one: RankedPod, other: RankedPod): number {
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? number);
    if (difference !== 0) return difference;
  }
  const [uid, otherUid] = [one.pod.metadata.uid, other.pod.metadata.uid];
  return uid < otherUid ? -1 : Number(uid > otherUid);
}

/** Source: pkg/apis/core/annotation_key_constants.go PodDeletionCost; a text that is no integer counts as 0. */
function deletionCost({ metadata }: StoredPod): number {
  const text = metadata.annotations?.[DELETION_COST_KEY] ?? '0';
  return /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

/** The highest number of restarts of the regular containers, or of the sidecars. */
function restarts({ spec, status }: StoredPod, ofSidecars: boolean): number {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const statuses = ofSidecars
    ? (status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))
    : (status.containerStatuses ?? []);
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

function timeOf(text: string | null | undefined): number {
  const time = parseTime(text ?? '');
  return Number.isNaN(time) ? 0 : time;
}
