import type { StoredPod } from '../../../api/index.ts';
import { hostPortsCollide } from '../../node/host-ports.ts';
import { podRequests } from '../base/pod-requests.ts';
import { snapshotOf } from '../base/snapshot.ts';
import { matchesTerm, requiredTerms } from '../filters/inter-pod-affinity.ts';
import { nodeUnschedulable } from '../filters/node-filters.ts';
import { isCounted, spreadRules } from '../filters/topology-spread.ts';
import { claimNames, disksCollide } from '../filters/volume-restrictions.ts';
import type { ClusterChange } from './cluster-event.ts';
import { isEqual, type QueueingHint } from './hint.ts';

type PodHint = QueueingHint<StoredPod>;

/** Looks at Pods of nodes that are gone. */
function whenGone(hint: (pod: StoredPod, gone: StoredPod) => boolean): PodHint {
  return (pod, { before, after }) =>
    after === undefined && before !== undefined && isPlaced(before) && hint(pod, before);
}

function isPlaced({ spec }: StoredPod): boolean {
  return (spec.nodeName ?? '') !== '';
}

/** True when the Pod that waits has changed itself. */
function isOwn(pod: StoredPod, { after }: ClusterChange<StoredPod>): boolean {
  return after?.metadata.uid === pod.metadata.uid;
}

/** Tolerations were added to the Pod that waits. Source: plugins/tainttoleration/taint_toleration.go. */
export const getsToleration: PodHint = (pod, change) =>
  isOwn(pod, change) && !isEqual(change.before?.spec.tolerations, change.after?.spec.tolerations);

/** Source: plugins/nodeunschedulable/node_unschedulable.go isSchedulableAfterPodTolerationChange. */
export const toleratesCordon: PodHint = (pod, change, facts) =>
  getsToleration(pod, change, facts) && nodeUnschedulable.prepare(pod, snapshotOf([])).type === 'passes';

/**
 * Any Pod that leaves a node, or its nomination for one, helps, whatever it requested; and one that needs less than
 * before of what the Pod asks for. Source: plugins/noderesources/fit.go isSchedulableAfterPodEvent.
 */
export const freesResources: PodHint = (pod, change) => {
  const { before, after } = change;
  if (before === undefined) return false;
  if (after === undefined) return isPlaced(before) || before.status.nominatedNodeName !== undefined;
  if (!isPlaced(after) && !isOwn(pod, change)) return false;
  const wanted = isOwn(pod, change) ? podRequests(before).keys() : podRequests(pod).keys();
  return [...wanted].some((name) => {
    const [old = 0n, now = 0n] = [before, after].map((each) => podRequests(each).get(name) ?? 0n);
    return now < old;
  });
};

/** Source: plugins/nodeports/node_ports.go isSchedulableAfterPodDeleted. */
export const freesPort: PodHint = whenGone(({ spec }, gone) => hostPortsCollide(spec, [gone.spec]));

/** Source: plugins/interpodaffinity/plugin.go isSchedulableAfterPodChange. */
export const changesAffinity: PodHint = (pod, { before, after }, facts) => {
  if (!isPlaced(after ?? before ?? pod)) return false;
  const near = requiredTerms(pod, 'podAffinity');
  const isNear = (other: StoredPod | undefined): boolean =>
    other !== undefined && near.length > 0 && near.every((term) => matchesTerm(term, pod, other, facts));
  const keepsAway = (other: StoredPod | undefined): boolean =>
    other !== undefined &&
    (requiredTerms(pod, 'podAntiAffinity').some((term) => matchesTerm(term, pod, other, facts)) ||
      requiredTerms(other, 'podAntiAffinity').some((term) => matchesTerm(term, other, pod, facts)));
  return (isNear(after) && !isNear(before)) || (keepsAway(before) && !keepsAway(after));
};

/** Source: plugins/podtopologyspread/plugin.go isSchedulableAfterPodChange. */
export const changesSpread: PodHint = (pod, change) => {
  const { before, after } = change;
  if (!isPlaced(after ?? before ?? pod) && !isOwn(pod, change)) return false;
  const rules = spreadRules(pod, 'DoNotSchedule');
  return rules.some(({ selectors }) => {
    const [had, has] = [before, after].map((other) => other !== undefined && isCounted(other, pod, selectors));
    return had !== has;
  });
};

/** Source: plugins/volumerestrictions/volume_restrictions.go isSchedulableAfterPodDeleted. */
export const freesVolume: PodHint = whenGone((pod, gone) => {
  const names = pod.metadata.namespace === gone.metadata.namespace ? claimNames(gone) : [];
  return names.some((name) => claimNames(pod).includes(name)) || disksCollide(pod, [gone]);
});

/** Source: plugins/nodevolumelimits/csi.go isSchedulableAfterPodDeleted. */
export const freesAttachment: PodHint = whenGone((_pod, gone) => claimNames(gone).length > 0);
