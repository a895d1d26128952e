import { SCHEDULING_GATED, type StoredPod } from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { attempt } from './attempt.ts';
import type { FilterPlugin } from './base/plugin.ts';
import { interPodAffinity } from './filters/inter-pod-affinity.ts';
import { DEFAULT_PLUGINS, type Profile } from './plugins.ts';
import { type Snapshot, snapshotOf } from './base/snapshot.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { type NodePressure, pressureTaints } from '../node/eviction.ts';

export type Schedule =
  /** The node takes the Pod. */
  | { readonly type: 'fits'; readonly nodeName: string }
  /** The nodeName is this node: the scheduler does nothing. */
  | { readonly type: 'placed' }
  /** The nodeName is another node: no node here runs the Pod. */
  | { readonly type: 'elsewhere'; readonly nodeName: string }
  /** The Pod stays Pending. Reason and message go into its condition PodScheduled. */
  | {
      readonly type: 'waits';
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
      /** The Pods that go, so that this one fits. */
      readonly victims?: readonly StoredPod[];
      /** True: the Pod stays nominated for the node that it is nominated for. */
      readonly keepsNomination?: boolean;
    };

/** The facts of the scheduler besides the Pod. */
export interface SchedulerFacts {
  readonly node: NodeFacts;
  /** The other Pods of the node: those with its nodeName that have not ended. */
  readonly placed: readonly StoredPod[];
  /** Pods that wait until preempted Pods of the node have gone. Default: none. */
  readonly nominated?: readonly StoredPod[] | undefined;
  /** The other objects that the scheduler asks for. */
  readonly objects?: Partial<Pick<Snapshot, 'budgets' | 'claim' | 'namespaceLabels' | 'volume'>> | undefined;
  /** The lack of memory or disk space on the node. Default: none. */
  readonly pressure?: readonly NodePressure[] | undefined;
}

/** Plugins without effect on one node: podrun says so in an event. */
const WITHOUT_EFFECT = new Set(['PodTopologySpread', 'DynamicResources']);

/** Keeps Pods apart that must not be together. A Pod that wants to be beside another one is, on one node. */
const antiAffinity: FilterPlugin = {
  name: interPodAffinity.name,
  prepare: ({ spec, ...pod }, snapshot) => {
    const { podAffinity: _, ...affinity } = spec.affinity ?? {};
    return interPodAffinity.prepare({ ...pod, spec: { ...spec, affinity } }, snapshot);
  },
};

/** The plugins that decide about the one node of this machine. */
export const PLUGINS_OF_ONE_NODE: Profile = {
  filters: DEFAULT_PLUGINS.filters.flatMap((plugin) => {
    if (WITHOUT_EFFECT.has(plugin.name)) return [];
    return plugin === interPodAffinity ? [antiAffinity] : [plugin];
  }),
  scores: [],
};

/** Features that Pods may need, and that podrun's kubelet has. Source: KEP-5328. */
const DECLARED_FEATURES = ['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'] as const;

/**
 * Decides whether this node takes the Pod. A Pod without a nodeName passes the scheduler's filters or waits, since the
 * node may satisfy them later. A Pod with a nodeName bypasses the scheduler.
 */
export function schedule(pod: StoredPod, facts: SchedulerFacts): Schedule {
  const { node, placed, objects, pressure = [], nominated = [] } = facts;
  const { spec } = pod;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    return spec.nodeName === node.name ? { type: 'placed' } : { type: 'elsewhere', nodeName: spec.nodeName };
  }
  if ((spec.schedulingGates ?? []).length > 0) return { type: 'waits', ...SCHEDULING_GATED };
  const taints = [...node.taints, ...pressureTaints(pod, pressure)];
  const snapshot = snapshotOf([{ node: { ...node, taints, declaredFeatures: DECLARED_FEATURES }, pods: placed }], {
    ...objects,
    nominated: nominated.map((other) => ({ ...other, status: { ...other.status, nominatedNodeName: node.name } })),
  });
  const outcome = attempt(pod, snapshot, { profile: PLUGINS_OF_ONE_NODE });
  if (outcome.type === 'fits') return { type: 'fits', nodeName: node.name };
  const reason = CONDITION.unschedulable;
  if (outcome.type === 'gated') return { type: 'waits', reason, message: outcome.why };
  const { message, chosen, preemption } = outcome;
  const keepsNomination = preemption === undefined || preemption.type === 'ineligible';
  return {
    type: 'waits',
    reason,
    message,
    ...(chosen && { victims: chosen.victims }),
    ...(keepsNomination && { keepsNomination }),
  };
}
