import { formatTime, type Instant, type PodSpec, type PodStatus, type StoredPod } from '../../api/index.ts';
import type { ConditionVerdict } from '../status/conditions.ts';
import { withTransitionTime } from '../status/pod-status.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { type EventDraft, failedScheduling, podRejected, scheduled, type SchedulingEvent } from '../texts/events.ts';
import { insufficient, noRoom, PREEMPTION } from '../texts/scheduling.ts';
import { ENDED_UNSCHEDULED, rejectionMessage } from '../texts/pod-reasons.ts';
import { nodeLabelsMissing, noSuchNode } from '../texts/podrun-events.ts';
import { admit } from '../node/kubelet-admission.ts';
import { missingLabels } from '../node/node-affinity.ts';
import { mayBeOvercommitted, shortages } from '../node/node-resources.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import type { VolumeChoice } from './filters/volume-binding.ts';
import type { SchedulingRejection } from './queue/scheduling-queue.ts';
import { schedule, type Schedule, type SchedulerFacts } from './schedule.ts';

/** The next step of a Pod that does not run yet. */
export type Placement =
  /** The scheduler binds the Pod to a node. Its kubelet decides about the bound Pod. */
  | {
      readonly type: 'binds';
      readonly nodeName: string;
      /** The volumes for claims of the Pod that wait for it. */
      readonly volumes: readonly VolumeChoice[];
      readonly event: SchedulingEvent;
    }
  | { readonly type: 'runs' }
  /** The kubelet rejects the Pod. */
  | { readonly type: 'rejected'; readonly event: EventDraft; readonly status: PodStatus }
  /** The Pod waits. Without a status, for what it has waited for before. */
  | {
      readonly type: 'waits';
      readonly status?: PodStatus;
      readonly event?: SchedulingEvent;
      /** Events of podrun. Each is recorded once. */
      readonly notices: readonly EventDraft[];
      /** Why the scheduler has found no node. Undefined: it was not asked. */
      readonly rejection?: SchedulingRejection;
      /** The Pods of lower priority that go, so that this one fits on the node. */
      readonly preempts?: Extract<Schedule, { type: 'waits' }>['preempts'];
    };

/** Asks the scheduler about a Pod without a node, and the admission of its kubelet about one that has a node. */
export function place(pod: StoredPod, facts: SchedulerFacts & { readonly now: Instant }): Placement {
  const verdict = schedule(pod, facts);
  switch (verdict.type) {
    case 'fits':
      return {
        type: 'binds',
        nodeName: verdict.nodeName,
        volumes: verdict.volumes,
        event: scheduled(pod.metadata, verdict.nodeName),
      };
    case 'placed':
      // No kubelet decides about it: it stays Pending.
      if (verdict.node.isUnmanned === true) return { type: 'waits', notices: [] };
      return admission(pod, verdict.node, facts);
    case 'elsewhere':
      return {
        type: 'waits',
        notices: [
          noSuchNode(
            verdict.nodeName,
            facts.nodes.map(({ name }) => name),
          ),
        ],
      };
    case 'waits': {
      const { plugins, message } = verdict;
      return { ...pending(pod, verdict, facts), rejection: { plugins, message } };
    }
    default:
      return verdict satisfies never;
  }
}

/** Source: pkg/kubelet/kubelet.go rejectPod. */
function admission(
  pod: StoredPod,
  node: NodeFacts,
  { placed, pressure, now }: SchedulerFacts & { readonly now: Instant },
): Placement {
  const neighbours = placed.filter(({ spec }) => spec.nodeName === node.name);
  const rejection = admit(pod, node, neighbours, pressure);
  if (rejection === undefined) return { type: 'runs' };
  const { reason, why } = rejection;
  const startTime = formatTime(now.wallMs);
  const status = { ...pod.status, startTime, reason, message: rejectionMessage(why), phase: 'Failed' } as const;
  return { type: 'rejected', event: podRejected({ reason, why }), status };
}

function pending(
  pod: StoredPod,
  { reason, message, preempts, keepsNomination = false }: Extract<Schedule, { type: 'waits' }>,
  facts: SchedulerFacts & { readonly now: Instant },
): Extract<Placement, { type: 'waits' }> {
  const { now } = facts;
  const before = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.reason === reason && before.message === message) return { type: 'waits', notices: [] };
  const { nominatedNodeName: _, ...unnominated } = pod.status;
  const waiting = keepsNomination ? pod : { ...pod, status: unnominated };
  const { status } = withScheduled(waiting, { status: 'False', reason, message }, now);
  if (reason !== CONDITION.unschedulable) return { type: 'waits', status, notices: [] };
  // While Pods go for this one, nothing is to be done.
  const isAwaiting = preempts !== undefined || message.endsWith(PREEMPTION.underWay);
  const notices = isAwaiting ? [] : whyUnschedulable(pod, message, facts);
  const waits = { type: 'waits', event: failedScheduling(message), notices } as const;
  if (preempts === undefined) return { ...waits, status };
  return { ...waits, preempts, status: { ...status, nominatedNodeName: preempts.nodeName } };
}

/** podrun's own events about the lack of the only node that the scheduler's message names. */
function whyUnschedulable({ spec }: StoredPod, message: string, { nodes, placed }: SchedulerFacts): EventDraft[] {
  const [node, ...more] = nodes;
  if (node === undefined || more.length > 0) return [];
  const missing = missingLabels(spec, node);
  return [
    ...(missing.length > 0 ? [nodeLabelsMissing(node.name, missing)] : []),
    ...(message.includes(insufficient('')) ? noRoomOn(node, spec, message, placed) : []),
  ];
}

function noRoomOn(node: NodeFacts, spec: PodSpec, message: string, placed: SchedulerFacts['placed']): EventDraft[] {
  const others = placed.map((other) => other.spec);
  const lacking = shortages(spec, node, others).filter(({ resource }) => mayBeOvercommitted(resource));
  return lacking.some(({ resource }) => message.includes(insufficient(resource))) ? [noRoom(node.name, lacking)] : [];
}

/** The status of a Pod that is ended before it was scheduled. */
export function endedUnscheduled(status: PodStatus): PodStatus {
  return { ...status, ...ENDED_UNSCHEDULED, phase: 'Failed' };
}

/**
 * Sets the condition PodScheduled, as the last condition. The scheduler sets observedGeneration only for Unschedulable.
 * Source: pkg/scheduler/schedule_one.go, pkg/registry/core/pod/storage assignPod.
 */
function withScheduled(pod: StoredPod, verdict: ConditionVerdict, now: Instant): StoredPod {
  const old = pod.status.conditions ?? [];
  const generation = verdict.reason === CONDITION.unschedulable ? pod.metadata.generation : undefined;
  const scheduled = withTransitionTime('PodScheduled', verdict, { old, now, generation });
  const conditions = [...old.filter(({ type }) => type !== 'PodScheduled'), scheduled];
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Binds the Pod to a node, as the scheduler does. Source: pkg/registry/core/pod/storage assignPod. */
export function boundTo(pod: StoredPod, nodeName: string, now: Instant): StoredPod {
  const { nominatedNodeName: _, ...status } = pod.status;
  return withScheduled({ ...pod, spec: { ...pod.spec, nodeName }, status }, { status: 'True' }, now);
}
