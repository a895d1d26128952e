import { combined, type EventDraft } from './texts/events.ts';

/** Ten different messages of one kind are combined into one event, until a pause of ten minutes. */
const COMBINE_AT = 10;
const COMBINE_WITHIN_MS = 600_000;

interface Group {
  readonly messages: Set<string>;
  lastMs: number;
}

/** The recorded form of an event. Events with the same key are one object with a count. */
export interface CorrelatedEvent {
  readonly key: string;
  readonly message: string;
}

/**
 * Combines events as every Kubernetes component does. A repeated event increases the count. From the tenth different
 * message of a kind on, without a pause, further messages become one event with a count. podrun leaves out the third
 * step of client-go, which drops events after a burst: podrun records every event. Source:
 * staging/src/k8s.io/client-go/tools/record/events_cache.go.
 */
export class EventCorrelator {
  readonly #groups = new Map<string, Group>();

  correlate(draft: EventDraft, nowMs: number): CorrelatedEvent {
    const groupKey = JSON.stringify([draft.type, draft.reason]);
    const eventKey = JSON.stringify([draft.type, draft.reason, draft.container, draft.message]);
    let group = this.#groups.get(groupKey);
    if (group === undefined || nowMs - group.lastMs > COMBINE_WITHIN_MS) {
      group = { messages: new Set(), lastMs: nowMs };
      this.#groups.set(groupKey, group);
    }
    group.messages.add(draft.message);
    group.lastMs = nowMs;
    if (group.messages.size < COMBINE_AT) return { key: eventKey, message: draft.message };
    const [oldest] = group.messages;
    if (oldest !== undefined) group.messages.delete(oldest);
    return { key: groupKey, message: combined(draft.message) };
  }
}
