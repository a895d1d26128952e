import { SCHEDULING_GATED, type StoredPod } from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { attempt } from './attempt.ts';
import type { FilterPlugin } from './base/plugin.ts';
import { dynamicResources } from './filters/dynamic-resources.ts';
import { interPodAffinity } from './filters/inter-pod-affinity.ts';
import { type VolumeChoice, volumeChoices } from './filters/volume-binding.ts';
import { DEFAULT_PLUGINS, type Profile } from './plugins.ts';
import { type Snapshot, snapshotOf, stateOf } from './base/snapshot.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { type NodePressure, pressureTaints } from '../node/eviction.ts';

export type Schedule =
  /** The node takes the Pod. */
  | {
      readonly type: 'fits';
      readonly nodeName: string;
      /** The volumes for claims of the Pod that wait for it. */
      readonly volumes: readonly VolumeChoice[];
    }
  /** The nodeName is this node: the scheduler does nothing. */
  | { readonly type: 'placed'; readonly node: NodeFacts }
  /** There is no node of this nodeName: none runs the Pod. */
  | { readonly type: 'elsewhere'; readonly nodeName: string }
  /** The Pod stays Pending. Reason and message go into its condition PodScheduled. */
  | {
      readonly type: 'waits';
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
      /** The plugins that reject the Pod. */
      readonly plugins: readonly string[];
      /** The Pods that go, so that this one fits on the node. */
      readonly preempts?: { readonly nodeName: string; readonly victims: readonly StoredPod[] };
      /** True: the Pod stays nominated for the node that it is nominated for. */
      readonly keepsNomination?: boolean;
    };

/** The facts of the scheduler besides the Pod. */
export interface SchedulerFacts {
  readonly nodes: readonly NodeFacts[];
  /** The other Pods that are bound to a node and have not ended. */
  readonly placed: readonly StoredPod[];
  /** Pods that wait until preempted Pods of a node have gone. Default: none. */
  readonly nominated?: readonly StoredPod[] | undefined;
  /** The other objects that the scheduler asks for. */
  readonly objects?: Partial<SchedulingObjects> | undefined;
  /** See AttemptOptions. */
  readonly order?: number | undefined;
  /** The lack of memory or disk space on the machine, and so on each node. Default: none. */
  readonly pressure?: readonly NodePressure[] | undefined;
}

/** The objects that the scheduler asks for beside Pods and nodes. */
export type SchedulingObjects = Pick<
  Snapshot,
  'budgets' | 'claim' | 'groupsOf' | 'namespaceLabels' | 'storageClass' | 'volume' | 'volumes'
>;

/** Plugins without effect on one node: podrun says so in an event. */
const WITHOUT_EFFECT = new Set(['PodTopologySpread', dynamicResources.name]);

/** Keeps Pods apart that must not be together. A Pod that wants to be beside another one is, on one node. */
const antiAffinity: FilterPlugin = {
  name: interPodAffinity.name,
  prepare: ({ spec, ...pod }, snapshot) => {
    const { podAffinity: _, ...affinity } = spec.affinity ?? {};
    return interPodAffinity.prepare({ ...pod, spec: { ...spec, affinity } }, snapshot);
  },
};

/** The plugins that decide about the one node of this machine. */
const PLUGINS_OF_ONE_NODE: Profile = {
  filters: DEFAULT_PLUGINS.filters.flatMap((plugin) => {
    if (WITHOUT_EFFECT.has(plugin.name)) return [];
    return plugin === interPodAffinity ? [antiAffinity] : [plugin];
  }),
  scores: [],
};

/** Features that Pods may need, and that podrun's kubelet has. Source: KEP-5328. */
const DECLARED_FEATURES = ['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'] as const;

/** The plugins that decide among several nodes: podrun has no devices to give. */
const PLUGINS_OF_NODES: Profile = {
  filters: DEFAULT_PLUGINS.filters.filter((plugin) => plugin !== dynamicResources),
  scores: DEFAULT_PLUGINS.scores,
};

/** The plugins for this number of nodes. */
export function pluginsFor(nodes: number): Profile {
  return nodes === 1 ? PLUGINS_OF_ONE_NODE : PLUGINS_OF_NODES;
}

/**
 * Decides which node takes the Pod. A Pod without a nodeName passes the scheduler's filters or waits, since a node may
 * satisfy them later. A Pod with a nodeName bypasses the scheduler.
 */
export function schedule(pod: StoredPod, { nodes, objects, ...facts }: SchedulerFacts): Schedule {
  const { placed, pressure = [], nominated = [], order } = facts;
  const { spec } = pod;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    const node = nodes.find(({ name }) => name === spec.nodeName);
    return node === undefined ? { type: 'elsewhere', nodeName: spec.nodeName } : { type: 'placed', node };
  }
  if ((spec.schedulingGates ?? []).length > 0) return { type: 'waits', ...SCHEDULING_GATED, plugins: [] };
  const taints = pressureTaints(pod, pressure);
  const podsByNode = new Map(nodes.map(({ name }): [string, StoredPod[]] => [name, []]));
  for (const other of placed) podsByNode.get(other.spec.nodeName ?? '')?.push(other);
  const states = nodes.map((node) => ({
    node: { ...node, taints: [...node.taints, ...taints], declaredFeatures: DECLARED_FEATURES },
    pods: podsByNode.get(node.name) ?? [],
  }));
  const profile = pluginsFor(nodes.length);
  const snapshot = snapshotOf(states, { ...objects, nominated });
  const outcome = attempt(pod, snapshot, { profile, order });
  if (outcome.type === 'fits') {
    const { nodeName } = outcome;
    const node = stateOf(snapshot, nodeName)?.node;
    return { type: 'fits', nodeName, volumes: node === undefined ? [] : volumeChoices(pod, node, snapshot) };
  }
  const reason = CONDITION.unschedulable;
  if (outcome.type === 'gated') return { type: 'waits', reason, message: outcome.why, plugins: [outcome.plugin] };
  const { message, chosen, preemption, filtered } = outcome;
  const keepsNomination = preemption === undefined || preemption.type === 'ineligible';
  return {
    type: 'waits',
    reason,
    message,
    plugins: filtered.plugins,
    ...(chosen && { preempts: { nodeName: chosen.nodeName, victims: chosen.victims } }),
    ...(keepsNomination && { keepsNomination }),
  };
}
