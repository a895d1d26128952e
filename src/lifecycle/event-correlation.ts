import type { EventDraft } from './effects.ts';
import { combined } from './texts/events.ts';

/** Distinct messages of one kind before they are combined, and how long a pause makes them distinct again. */
const COMBINE_AT = 10;
const COMBINE_WITHIN_MS = 600_000;

interface Group {
  readonly messages: Set<string>;
  lastMs: number;
}

/** What becomes of an event: the same key means the same object, whose count goes up. */
export interface CorrelatedEvent {
  readonly key: string;
  readonly message: string;
}

/**
 * Folds events the way every Kubernetes component does: the same event again is counted, and once ten different
 * messages of a kind have come without a pause, further ones become a single event that counts them.
 * (The third step of client-go, dropping events after a burst, is left out: podrun tells all it knows.)
 * Source: staging/src/k8s.io/client-go/tools/record/events_cache.go.
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
