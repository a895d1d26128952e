import type { StoredPod } from '../../../api/index.ts';
import { allocatable } from '../../node/node-resources.ts';
import type { FilterPlugin } from '../base/plugin.ts';
import { podRequests } from '../base/pod-requests.ts';
import { type SchedulingNode, snapshotOf } from '../base/snapshot.ts';
import { requiredTerms } from '../filters/inter-pod-affinity.ts';
import { nodeResourcesFit } from '../filters/node-filters.ts';
import { hasLabels, labelOf, spreadRules } from '../filters/topology-spread.ts';
import { isEqual, type QueueingHint, whenPresent } from './hint.ts';

/** A node helps when it has begun to pass the filter. Of a filter that looks at Pods, it asks about an empty node. */
export function beginsToPass(plugin: FilterPlugin): QueueingHint<SchedulingNode> {
  return whenPresent(
    (pod, after, before) => passes(plugin, pod, after) && (before === undefined || !passes(plugin, pod, before)),
  );
}

/** True when the plugin has nothing against an empty node. */
function passes({ prepare }: FilterPlugin, pod: StoredPod, node: SchedulingNode): boolean {
  const state = { node, pods: [] };
  const prepared = prepare(pod, snapshotOf([state]));
  if (prepared.type === 'filters') return prepared.filter(state) === undefined;
  return prepared.type === 'passes';
}

/** A node that is large enough helps when it is new, or has grown. Source: plugins/noderesources/fit.go. */
export const hasGrown: QueueingHint<SchedulingNode> = whenPresent((pod, after, before) => {
  if (!passes(nodeResourcesFit, pod, after)) return false;
  const wanted = ['pods', ...podRequests(pod).keys()];
  return before === undefined || wanted.some((name) => allocatable(after, name) > allocatable(before, name));
});

/** Source: plugins/interpodaffinity/plugin.go isSchedulableAfterNodeChange. */
export const changesDomain: QueueingHint<SchedulingNode> = whenPresent((pod, after, before) => {
  const near = requiredTerms(pod, 'podAffinity');
  const away = requiredTerms(pod, 'podAntiAffinity');
  if (before === undefined) {
    return near.length === 0 || near.some(({ topologyKey }) => labelOf(after, topologyKey) !== undefined);
  }
  const isMoved = (key: string): boolean => labelOf(after, key) !== labelOf(before, key);
  return (
    near.some(({ topologyKey: key }) => labelOf(after, key) !== undefined && isMoved(key)) ||
    away.some(({ topologyKey: key }) => isMoved(key))
  );
});

/**
 * Domains come and go with nodes, and with their labels. Taints count where a constraint asks for them. Source:
 * plugins/podtopologyspread/plugin.go isSchedulableAfterNodeChange.
 */
export const changesDomains: QueueingHint<SchedulingNode> = (pod, { before, after }) => {
  const rules = spreadRules(pod, 'DoNotSchedule');
  const [had, has] = [before, after].map((node) => node !== undefined && hasLabels(node, rules));
  if (had !== has) return true;
  if (before === undefined || after === undefined || has !== true) return false;
  const isMoved = rules.some(({ topologyKey: key }) => labelOf(before, key) !== labelOf(after, key));
  return isMoved || !isEqual(before.taints, after.taints);
};
