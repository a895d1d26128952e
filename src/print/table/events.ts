import type { StoredEvent } from '../../api/index.ts';
import { ageSince, timestampMs } from '../base/age.ts';
import { TABLE_LAYOUT, TabWriter } from '../text/tab-writer.ts';
import { escapeTerminal } from '../text/terminal-text.ts';

/** The flags of `events` that concern its table. */
export interface EventTableOptions {
  /** `-A`: adds the column NAMESPACE in front. */
  readonly allNamespaces?: boolean;
  readonly noHeaders?: boolean;
}

const HEADINGS = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];

/** The table of `events` with headings, oldest first. Empty without events. */
export function renderEvents(events: readonly StoredEvent[], nowMs: number, options: EventTableOptions = {}): string {
  return new EventTablePrinter(options).render(sortedByLastSeen(events), nowMs);
}

/** Sorts events as in the table: the latest last. */
export function sortedByLastSeen(events: readonly StoredEvent[]): StoredEvent[] {
  return [...events].sort((a, b) => lastSeenMs(a) - lastSeenMs(b));
}

/** Prints the table in parts, for `events -w`: headings once, and columns that never shrink. */
export class EventTablePrinter {
  readonly #options: EventTableOptions;
  readonly #writer = new TabWriter(TABLE_LAYOUT);
  #headingsDue: boolean;

  constructor(options: EventTableOptions = {}) {
    this.#options = options;
    this.#headingsDue = options.noHeaders !== true;
  }

  /** Rows for these events in the order given. The first call adds the headings. `nowMs` is the time for ages. */
  render(events: readonly StoredEvent[], nowMs: number): string {
    if (events.length === 0) return '';
    const all = this.#options.allNamespaces === true;
    const rows = events.map((event) => (all ? [event.metadata.namespace] : []).concat(cellsOf(event, nowMs)));
    if (this.#headingsDue) rows.unshift(all ? ['NAMESPACE', ...HEADINGS] : HEADINGS);
    this.#headingsDue = false;
    // Unlike the tables of `get`, this one shows all lines of a message.
    return this.#writer.render(rows.map((cells) => `${escapeTerminal(cells.join('\t'))}\n`).join(''));
  }
}

function cellsOf(event: StoredEvent, nowMs: number): string[] {
  const { kind = '', name = '' } = event.involvedObject;
  return [
    eventAge(event, nowMs),
    event.type ?? '',
    event.reason ?? '',
    `${kind}/${name}`,
    (event.message ?? '').trim(),
  ];
}

function lastSeenMs(event: StoredEvent): number {
  return timestampMs(event.series?.lastObservedTime ?? (event.lastTimestamp || event.eventTime)) ?? 0;
}

/** The age of an event, its count and its first age: `2m11s (x6 over 6m59s)`. Source: kubectl, getInterval. */
export function eventAge(event: StoredEvent, nowMs: number): string {
  const first = ageSince(event.eventTime || event.firstTimestamp, nowMs);
  if (event.series) {
    return `${ageSince(event.series.lastObservedTime, nowMs)} (x${event.series.count ?? 0} over ${first})`;
  }
  const count = event.count ?? 0;
  return count > 1 ? `${ageSince(event.lastTimestamp, nowMs)} (x${count} over ${first})` : first;
}

/** The reporter of an event. */
export function eventSource(event: StoredEvent): string {
  return event.source?.component || event.reportingComponent || '';
}
