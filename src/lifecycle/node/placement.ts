import { formatTime, type Instant, type PodStatus, type StoredPod } from '../../api/index.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { failedScheduling, podRejected, scheduled, type SchedulingEvent } from '../texts/events.ts';
import { nodeLabelsMissing, notThisNode } from '../texts/podrun-events.ts';
import { ENDED_UNSCHEDULED, rejectionMessage } from '../texts/pod-reasons.ts';
import { admit } from './kubelet-admission.ts';
import { missingLabels } from './node-affinity.ts';
import { withScheduled } from './pod-scheduled.ts';
import { schedule, type Schedule, type SchedulerFacts } from './schedule.ts';
import type { EventDraft } from '../texts/event-draft.ts';

/** The next step of a Pod that does not run yet. */
export type Placement =
  /** The scheduler binds the Pod to this node. The kubelet decides about the bound Pod. */
  | { readonly type: 'binds'; readonly nodeName: string; readonly event: SchedulingEvent }
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
      /** The Pods of lower priority that go, so that this one fits. */
      readonly victims?: readonly StoredPod[];
    };

/** Asks the scheduler about a Pod without a node, and the kubelet's admission about a Pod of this node. */
export function place(pod: StoredPod, facts: SchedulerFacts & { readonly now: Instant }): Placement {
  const verdict = schedule(pod, facts);
  switch (verdict.type) {
    case 'fits':
      return { type: 'binds', nodeName: verdict.nodeName, event: scheduled(pod.metadata, verdict.nodeName) };
    case 'placed':
      return admission(pod, facts);
    case 'elsewhere':
      return { type: 'waits', notices: [notThisNode(verdict.nodeName, facts.node.name)] };
    case 'waits':
      return pending(pod, verdict, facts);
    default:
      return verdict satisfies never;
  }
}

/** Source: pkg/kubelet/kubelet.go rejectPod. */
function admission(
  pod: StoredPod,
  { node, placed, pressure, now }: SchedulerFacts & { readonly now: Instant },
): Placement {
  const rejection = admit(pod, node, placed, pressure);
  if (rejection === undefined) return { type: 'runs' };
  const { reason, why } = rejection;
  const startTime = formatTime(now.wallMs);
  const status = { ...pod.status, startTime, reason, message: rejectionMessage(why), phase: 'Failed' } as const;
  return { type: 'rejected', event: podRejected({ reason, why }), status };
}

function pending(
  pod: StoredPod,
  { reason, message, victims = [] }: Extract<Schedule, { type: 'waits' }>,
  { node, now }: Pick<SchedulerFacts, 'node'> & { readonly now: Instant },
): Placement {
  const before = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (before?.reason === reason && before.message === message) return { type: 'waits', notices: [] };
  const { status } = withScheduled(pod, { status: 'False', reason, message }, now);
  if (reason !== CONDITION.unschedulable) return { type: 'waits', status, notices: [] };
  const missing = missingLabels(pod.spec, node);
  const notices = missing.length > 0 ? [nodeLabelsMissing(node.name, missing)] : [];
  const waits = { type: 'waits', event: failedScheduling(message), notices, victims } as const;
  return { ...waits, status: victims.length === 0 ? status : { ...status, nominatedNodeName: node.name } };
}

/** The status of a Pod that is ended before it was scheduled. */
export function endedUnscheduled(status: PodStatus): PodStatus {
  return { ...status, ...ENDED_UNSCHEDULED, phase: 'Failed' };
}
