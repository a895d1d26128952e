import { beforeAll, describe, expect, it, vi } from 'vitest';
import { describePods } from '../../src/print/describe/describe-pod.ts';
import { renderEvents } from '../../src/print/table/events.ts';
import { POD_COLUMNS } from '../../src/print/table/pod-status.ts';
import { renderTable } from '../../src/print/table/table-printer.ts';
import { GOLDEN_NOW_MS, goldenEvents, goldenPods, goldenStates, goldenText } from './golden.ts';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

describe.each(goldenStates)('a Pod in the state %s', (state) => {
  const pods = goldenPods(state);
  const events = goldenEvents(state);

  it('is listed by `get` as by kubectl', () => {
    expect(renderTable(POD_COLUMNS, pods, GOLDEN_NOW_MS)).toBe(goldenText(state, 'get.txt'));
  });

  it('is listed by `get -o wide` as by kubectl', () => {
    expect(renderTable(POD_COLUMNS, pods, GOLDEN_NOW_MS, { wide: true })).toBe(goldenText(state, 'get-wide.txt'));
  });

  it('is described as by kubectl', () => {
    expect(describePods(pods, events, GOLDEN_NOW_MS)).toBe(goldenText(state, 'describe.txt'));
  });

  it('has its events listed as by kubectl', () => {
    const text = renderEvents(events, GOLDEN_NOW_MS);
    // kubectl prints this sentence on stderr.
    expect(text === '' ? 'No events found in default namespace.\n' : text).toBe(goldenText(state, 'events.txt'));
  });
});
