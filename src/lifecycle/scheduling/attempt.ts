import type { StoredPod } from '../../api/index.ts';
import {
  CLAIM,
  NO_NODES,
  noNode,
  noNodeFor,
  waitsForGates,
  withoutPreemption,
  withoutPreemptionState,
} from '../texts/scheduling.ts';
import { dynamicResources, deviceClaimNames, deviceClaims } from './filters/dynamic-resources.ts';
import { filterNodes, type Filtered } from './filter-nodes.ts';
import type { FilterPlugin } from './base/plugin.ts';
import { DEFAULT_PLUGINS, type Profile } from './plugins.ts';
import { type PreemptionCandidate, findVictims, type PreemptionOutcome } from './preemption.ts';
import { bestNodes, type NodeScore, scoreNodes } from './score-nodes.ts';
import type { Snapshot } from './base/snapshot.ts';
import { pickNode } from './base/tie-break.ts';

/** The end of an attempt to place a Pod. */
export type SchedulingAttempt =
  /** The Pod is not tried: something else must happen first. */
  | { readonly type: 'gated'; readonly plugin: string; readonly why: string }
  | {
      readonly type: 'fits';
      readonly nodeName: string;
      /** The nodes with the highest score: where there are several, the seed decides. */
      readonly best: readonly string[];
      readonly filtered: Filtered;
      /** Undefined: there was only one node to choose. */
      readonly scores: readonly NodeScore[] | undefined;
    }
  | {
      readonly type: 'waits';
      /** The message of the condition PodScheduled and of the event FailedScheduling. */
      readonly message: string;
      readonly filtered: Filtered;
      /** Undefined: preemption was not tried. The Pod keeps the node that it is nominated for. */
      readonly preemption: PreemptionOutcome | undefined;
      /** The node that is cleared for the Pod, and its Pods that go. */
      readonly chosen: PreemptionCandidate | undefined;
    };

/** The choices of an attempt. */
export interface AttemptOptions {
  /** Default: DEFAULT_PLUGINS. */
  readonly profile?: Profile;
  /** Decides among equal nodes. Default: 1. */
  readonly seed?: number;
  /** The number of Pods that came to the scheduler before this one. Default: the number of placed Pods. */
  readonly order?: number | undefined;
}

/** Tries to place one Pod. Source: pkg/scheduler/schedule_one.go schedulingCycle. */
export function attempt(
  pod: StoredPod,
  snapshot: Snapshot,
  {
    profile: { filters, scores: scorers } = DEFAULT_PLUGINS,
    seed = 1,
    order = placedIn(snapshot),
  }: AttemptOptions = {},
): SchedulingAttempt {
  const gate = gateOf(pod, snapshot, filters);
  if (gate !== undefined) return { type: 'gated', ...gate };
  const filtered = filterNodes(pod, snapshot, filters, order);
  const [first, ...more] = filtered.feasible;
  if (first !== undefined) {
    const scores = more.length === 0 ? undefined : scoreNodes(pod, snapshot, filtered.feasible, scorers);
    const best = scores === undefined ? [first.node.name] : bestNodes(scores);
    return { type: 'fits', nodeName: pickNode(best, { seed, order }), best, filtered, scores };
  }
  if (snapshot.nodes.length === 0) {
    return { type: 'waits', message: NO_NODES, filtered, preemption: undefined, chosen: undefined };
  }
  const why = misfitText(snapshot, filtered);
  if (isBeforePreemptionState(filtered)) {
    return { type: 'waits', message: withoutPreemptionState(why), filtered, preemption: undefined, chosen: undefined };
  }
  const preemption = findVictims(pod, snapshot, filtered, filters);
  if (preemption.type === 'candidates') {
    const nodeName = pickNode(
      preemption.best.map((candidate) => candidate.nodeName),
      { seed, order },
    );
    const chosen = preemption.best.find((candidate) => candidate.nodeName === nodeName);
    return { type: 'waits', message: why, filtered, preemption, chosen };
  }
  const claimsDevices = filtered.rejected === undefined && deviceClaims(pod, snapshot).length > 0;
  const message = withoutPreemption(why, preemption.why, claimsDevices);
  return { type: 'waits', message, filtered, preemption, chosen: undefined };
}

/** Says why a Pod is not in the queue (PreEnqueue). Source: plugins/schedulinggates, plugins/dynamicresources. */
function gateOf(
  pod: StoredPod,
  snapshot: Snapshot,
  filters: readonly FilterPlugin[],
): { plugin: string; why: string } | undefined {
  const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0) {
    return { plugin: 'SchedulingGates', why: waitsForGates(gates) };
  }
  if (!filters.includes(dynamicResources)) return undefined;
  const { namespace } = pod.metadata;
  const missing = deviceClaimNames(pod).find((name) => snapshot.deviceClaim(namespace, name) === undefined);
  return missing === undefined
    ? undefined
    : { plugin: dynamicResources.name, why: CLAIM.noDeviceClaim(namespace, missing) };
}

function misfitText({ nodes }: Snapshot, { rejected, rejections }: Filtered): string {
  if (rejected !== undefined) return noNodeFor(nodes.length, rejected.reasons.join(', '));
  return noNode(
    nodes.length,
    [...rejections.values()].flatMap(({ reasons }) => reasons),
  );
}

/** True when a plugin before DynamicResources has rejected all nodes: preemption then lacks what that plugin notes. */
function isBeforePreemptionState({ rejected }: Filtered): boolean {
  if (rejected === undefined) return false;
  const { filters } = DEFAULT_PLUGINS;
  return filters.findIndex(({ name }) => name === rejected.plugin) < filters.indexOf(dynamicResources);
}

function placedIn({ nodes }: Snapshot): number {
  return nodes.reduce((sum, { pods }) => sum + pods.length, 0);
}
