import type { EventDraft } from './events.ts';
import { fieldHasNoEffect, podrunEvent } from './podrun-events.ts';

/** podrun's own: why the Pods of a run are not restricted: the network of the host, or rules that do not work. */
export type WithoutPolicies =
  | { readonly type: 'host' }
  /** `said`: the message of nft. Undefined: it is not installed. */
  | { readonly type: 'noRules'; readonly said: string | undefined };

/** podrun's own: a NetworkPolicy restricts nothing here. */
export function policyHasNoEffect(why: WithoutPolicies): EventDraft {
  return fieldHasNoEffect({ paths: ['spec'], note: `${needOf(why)}; all connections are allowed` });
}

function needOf(why: WithoutPolicies): string {
  if (why.type === 'host') return 'NetworkPolicies need Pods with networks of their own (--network cluster)';
  if (why.said === undefined) return 'NetworkPolicies need nft (package nftables)';
  return `NetworkPolicies need rules of nft, which fail here (${why.said})`;
}

/** podrun's own: the rules of NetworkPolicies could not be changed. */
export function policyNotEnforced(why: string): EventDraft {
  return podrunEvent('PolicyNotEnforced', `the former rules hold, and podrun tries again: ${why}`);
}

/** podrun's own: the error of a Pod that would begin without its restrictions. */
export function cannotEnforcePolicies(why: string): string {
  return `cannot enforce the NetworkPolicies of the Pod: ${why}`;
}

/** Connections that a NetworkPolicy has refused. The ends are Pods, `default/web`, or addresses. */
export interface RefusedConnections {
  readonly count: number;
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly protocol: string;
}

/**
 * podrun's own: a NetworkPolicy has refused connections of a Pod.
 * @param at the end that the event is about
 * @param isOwn true when a policy of this end has refused them, and not one of the other end
 */
export function refusedByPolicy(
  { count, from, to, port, protocol }: RefusedConnections,
  at: 'from' | 'to',
  isOwn: boolean,
): EventDraft {
  const place = `:${port}${protocol === 'TCP' ? '' : `/${protocol}`}`;
  const connections = `${count} connection${count === 1 ? '' : 's'}`;
  const whose = isOwn ? 'refused by policy' : `refused by policy of ${at === 'from' ? to : from}`;
  const ends = at === 'to' ? `from ${from} to ${place}` : `to ${to}${place}`;
  return podrunEvent('RefusedByPolicy', `${whose}: ${connections} ${ends}`);
}
