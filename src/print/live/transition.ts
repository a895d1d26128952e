import { ownValue, type StoredEvent } from '../../api/index.ts';
import { FAULT_INJECTED, FAULT_OVER, INGRESS_SERVED, SERVICE_SERVED } from '../../lifecycle/index.ts';
import type { Tone } from '../text/painter.ts';

/** A change of a Pod or of a workload in words. */
export interface Transition {
  /** The time at which it was seen, milliseconds since 1970. */
  readonly atMs: number;
  /** The name of the Pod. Empty for another object. */
  readonly pod: string;
  /** The name of another object: `deployment/web`. Undefined for a Pod. */
  readonly subject?: string | undefined;
  /** The name of the container. Undefined for the Pod as a whole. */
  readonly container?: string | undefined;
  /** The role of the container, if it has one beside the main work: `init`, `sidecar`. */
  readonly role?: string | undefined;
  readonly kind: 'change' | 'created' | 'scheduling' | 'container' | 'condition' | 'phase' | 'deletion' | 'event';
  /** The change: `started (attempt 2)`, `exited with code 137 (SIGKILL) after 6s`, `Running and Ready`. */
  readonly text: string;
  /** The reason, if it is known. */
  readonly why?: string | undefined;
  readonly tone: Tone;
}

/** A transition before its time and object are added. */
export type Change = Omit<Transition, 'atMs' | 'pod' | 'subject'>;

const KINDS: ReadonlySet<string | undefined> = new Set(['Ingress', 'NetworkPolicy', 'Service']);
/** Their messages are addresses. */
const SERVED: ReadonlySet<string> = new Set([INGRESS_SERVED, SERVICE_SERVED]);

/** The lines for events of Nodes that are news for a person, with their messages where these say more. */
const OF_NODES: Readonly<Record<string, (message: string) => Pick<Change, 'text' | 'why' | 'tone'>>> = {
  [FAULT_INJECTED]: (why) => ({ text: FAULT_INJECTED, why, tone: 'bad' }),
  [FAULT_OVER]: (why) => ({ text: FAULT_OVER, why, tone: 'info' }),
  NodeNotReady: () => ({ text: 'NotReady', tone: 'bad' }),
  Rebooted: (why) => ({ text: 'Rebooted', why, tone: 'info' }),
  RemovingNode: () => ({ text: 'removed', tone: 'bad' }),
};

/** The line of the live view for an event of a Node. */
export function nodeTransition(event: StoredEvent, atMs: number): Transition | undefined {
  const { involvedObject, reason = '', message = '' } = event;
  const format = ownValue(OF_NODES, reason);
  if (involvedObject.kind !== 'Node' || format === undefined) return undefined;
  return { atMs, pod: '', subject: `node/${involvedObject.name}`, kind: 'event', ...format(message) };
}

/** The line of the live view for an event of Services, Ingresses or NetworkPolicies. Undefined: of another kind. */
export function networkTransition(
  { type, involvedObject, reason = '', message = '' }: StoredEvent,
  atMs: number,
): Transition | undefined {
  const { kind = '', name = '' } = involvedObject;
  if (!KINDS.has(kind)) return undefined;
  const about = { atMs, pod: '', subject: `${kind.toLowerCase()}/${name}`, kind: 'event' } as const;
  if (SERVED.has(reason)) return { ...about, text: message, tone: 'good' };
  return { ...about, text: reason, why: message, tone: type === 'Warning' ? 'bad' : 'info' };
}
