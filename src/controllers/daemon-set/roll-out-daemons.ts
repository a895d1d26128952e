import type { StoredPod } from '../../api/index.ts';
import type { StoredDaemonSet } from '../base/reconcile.ts';
import { scaledValue } from '../deployment/rollout-arithmetic.ts';
import { type DaemonNode, type DaemonView, isNewest, isServing, isStaying } from './daemon-view.ts';

/** One step of a rolling update: nodes that get a new Pod beside the old one, and Pods that go. */
export interface RolloutStep {
  readonly create: readonly string[];
  readonly remove: readonly StoredPod[];
}

/** The new and the old Pod of a node. mixed: it has more of one kind, and manage() removes them first. */
interface NodePods {
  readonly node: DaemonNode;
  readonly newest: StoredPod | undefined;
  readonly old: StoredPod | undefined;
  readonly isMixed: boolean;
}

/** True when the new Pod of a node starts beside the old one. */
export function allowsSurge({ spec }: StoredDaemonSet): boolean {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'RollingUpdate' && scaledValue(rollingUpdate?.maxSurge, 1, Math.ceil) > 0;
}

/**
 * One step of a rolling update, over the nodes that are to have a Pod or have one. Source:
 * pkg/controller/daemon/update.go rollingUpdate.
 */
export function rollOutDaemons(view: DaemonView): RolloutStep {
  const { type, rollingUpdate } = view.daemonSet.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { create: [], remove: [] };
  const desired = view.nodes.filter(({ fit }) => fit.shouldRun).length;
  const maxSurge = scaledValue(rollingUpdate?.maxSurge, desired, Math.ceil);
  const counted = view.nodes
    .filter(({ fit, pods }) => fit.shouldRun || pods.length > 0)
    .map((node) => podsOf(view, node));
  if (maxSurge > 0) return surge(view, counted, { maxSurge, desired });
  const given = scaledValue(rollingUpdate?.maxUnavailable, desired, Math.ceil);
  return replace(view, counted, desired > 0 && given === 0 ? 1 : given);
}

/** Source: update.go findUpdatedPodsOnNode. */
function podsOf(view: DaemonView, node: DaemonNode): NodePods {
  const staying = node.pods.filter(isStaying);
  const news = staying.filter((pod) => isNewest(view, pod));
  const olds = staying.filter((pod) => !isNewest(view, pod));
  return { node, newest: news[0], old: olds[0], isMixed: news.length > 1 || olds.length > 1 };
}

/** Old Pods that do not serve go at once, and of the rest as many as may be missing at a time. */
function replace(view: DaemonView, nodes: readonly NodePods[], maxUnavailable: number): RolloutStep {
  const updatable = nodes.flatMap(({ newest, old, isMixed }) => (isMixed || newest !== undefined ? [] : (old ?? [])));
  const idle = updatable.filter((pod) => !isServing(view, pod));
  const candidates = updatable.filter((pod) => isServing(view, pod));
  const updated = nodes.filter(
    ({ newest, old, isMixed }) => !isMixed && old === undefined && newest !== undefined && isServing(view, newest),
  );
  const unavailable = nodes.length - updatable.length - updated.length;
  return { create: [], remove: [...idle, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/**
 * New Pods start beside old ones, as many as may be more at a time, and beside each old one that does not serve. An old
 * Pod goes when the new one of its node serves; where none is to be any more, when enough Pods serve on other nodes.
 */
function surge(
  view: DaemonView,
  nodes: readonly NodePods[],
  { maxSurge, desired }: { readonly maxSurge: number; readonly desired: number },
): RolloutStep {
  const clean = nodes.filter(({ isMixed }) => !isMixed);
  const serves = (pod: StoredPod | undefined): boolean => pod !== undefined && isServing(view, pod);
  const waiting = clean.filter(({ newest, old }) => old !== undefined && newest !== undefined && !serves(newest));
  const surged = clean.filter(({ newest, old }) => old !== undefined && serves(newest));
  const olds = clean.filter(({ newest, old }) => old !== undefined && newest === undefined);
  const [idle, serving] = [olds.filter(({ old }) => !serves(old)), olds.filter(({ old }) => serves(old))];
  const available = clean.filter(({ newest, old }) => serves(old ?? newest)).length;
  const running = nodes.length - clean.length + waiting.length;
  const unwanted = serving.filter(({ node }) => !node.fit.shouldRun);
  const removed = [
    ...surged,
    ...idle.filter(({ node }) => !node.fit.shouldRun),
    ...unwanted.slice(0, Math.max(0, available - desired)),
  ];
  const candidates = serving.filter(({ node }) => node.fit.shouldRun).slice(0, Math.max(0, maxSurge - running));
  return {
    create: [...idle.filter(({ node }) => node.fit.shouldRun), ...candidates].map(({ node }) => node.name),
    remove: removed.flatMap(({ old }) => old ?? []),
  };
}
