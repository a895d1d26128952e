import { describe, expect, it } from 'vitest';
import { type EventTableOptions, EventTablePrinter, renderEvents } from '../../src/print/table/events.ts';
import { GOLDEN_NOW_MS, goldenEvents, transcript } from './golden.ts';
import { at, NOW_MS, webEvent } from './pods.ts';

describe('renderEvents()', () => {
  it.each<[name: string, options: EventTableOptions]>([
    ['events', {}],
    ['events-A', { allNamespaces: true }],
    ['events-noheaders', { noHeaders: true }],
  ])('prints the transcript %s', (name, options) => {
    const { stdout, state } = transcript('events', name);
    expect(renderEvents(state.flatMap(goldenEvents), GOLDEN_NOW_MS, options)).toBe(stdout);
  });

  it('sorts by the time of the last sighting, wherever an event keeps it', () => {
    const events = [
      webEvent('Third', { lastTimestamp: at(-10) }),
      webEvent('First', { lastTimestamp: undefined, eventTime: at(-30) }),
      webEvent('Second', {
        lastTimestamp: undefined,
        eventTime: at(-90),
        series: { count: 2, lastObservedTime: at(-20) },
      }),
    ];
    expect(renderEvents(events, NOW_MS).match(/First|Second|Third/g)).toEqual(['First', 'Second', 'Third']);
  });

  it('shows a message of several lines whole', () => {
    expect(renderEvents([webEvent('Unhealthy', { message: 'one\ntwo\n' })], NOW_MS)).toMatch(/one\ntwo\n$/);
  });
});

describe('EventTablePrinter', () => {
  it('prints the transcript events-w: rows as they come, in columns that grow', () => {
    const { stdout, state } = transcript('events', 'events-w');
    const table = new EventTablePrinter();
    const rows = state.flatMap(goldenEvents).map((event) => table.render([event], GOLDEN_NOW_MS));
    expect(rows.join('')).toBe(stdout);
  });
});
