import type { StoredEvent } from '../api/objects.ts';
import { timestampMs } from './age.ts';
import { eventAge } from './event-row.ts';
import { escapeTerminal } from './terminal-text.ts';
import { TABLE_LAYOUT, TabWriter } from './tab-writer.ts';

/** The flags of `events` that choose what its table shows. */
export interface EventTableOptions {
  /** `-A`: NAMESPACE first. */
  readonly allNamespaces?: boolean;
  readonly noHeaders?: boolean;
}

const HEADINGS = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];

/** The table of `events`: oldest first, with headings. Without events the text is empty. */
export function renderEvents(events: readonly StoredEvent[], nowMs: number, options: EventTableOptions = {}): string {
  return new EventTablePrinter(options).render(sortedByLastSeen(events), nowMs);
}

/** The order of the table: the latest last. */
export function sortedByLastSeen(events: readonly StoredEvent[]): StoredEvent[] {
  return [...events].sort((a, b) => lastSeenMs(a) - lastSeenMs(b));
}

/** Prints the table piece by piece, for `events -w`: headings once, columns that only ever grow. */
export class EventTablePrinter {
  readonly #options: EventTableOptions;
  readonly #writer = new TabWriter(TABLE_LAYOUT);
  #headingsDue: boolean;

  constructor(options: EventTableOptions = {}) {
    this.#options = options;
    this.#headingsDue = options.noHeaders !== true;
  }

  /** Rows for these events in the order given, ages as of `nowMs`; the first ones with the headings in front. */
  render(events: readonly StoredEvent[], nowMs: number): string {
    if (events.length === 0) return '';
    const all = this.#options.allNamespaces === true;
    const rows = events.map((event) => (all ? [event.metadata.namespace] : []).concat(cellsOf(event, nowMs)));
    if (this.#headingsDue) rows.unshift(all ? ['NAMESPACE', ...HEADINGS] : HEADINGS);
    this.#headingsDue = false;
    // Unlike the cells of `get`, a message of several lines is shown whole.
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
