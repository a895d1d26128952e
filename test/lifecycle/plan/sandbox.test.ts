import { describe, expect, it } from 'vitest';
import { type SandboxStage, sandboxAfter, type SandboxEvent } from '../../../src/lifecycle/base/sandbox.ts';

const STATES: readonly SandboxStage[] = ['absent', 'creating', 'ready', 'stopping', 'abandoned', 'stopped', 'finished'];
const EVENTS: readonly SandboxEvent[] = ['create', 'created', 'stop', 'stopped', 'finish'];

describe('sandboxAfter()', () => {
  it.each<{ name: string; events: readonly SandboxEvent[]; want: SandboxStage }>([
    { name: 'a Pod that ran', events: ['create', 'created', 'stop', 'stopped', 'finish'], want: 'finished' },
    { name: 'a Pod that runs', events: ['create', 'created'], want: 'ready' },
    { name: 'a Pod that ended before its sandbox was ready', events: ['create', 'stop', 'created'], want: 'abandoned' },
    { name: 'a Pod that ended before its first sync', events: ['stop', 'stopped', 'finish'], want: 'finished' },
    { name: 'a Pod whose sandbox still runs', events: ['create', 'created', 'finish'], want: 'ready' },
  ])('$name: $want', ({ events, want }) => {
    expect(events.reduce(sandboxAfter, 'absent')).toBe(want);
  });

  it.each(EVENTS)('%s changes nothing the second time', (event) => {
    for (const state of STATES) {
      const once = sandboxAfter(state, event);
      expect(sandboxAfter(once, event)).toBe(once);
    }
  });

  it('never leaves the end, and never goes back to the beginning', () => {
    for (const event of EVENTS) {
      expect(sandboxAfter('finished', event)).toBe('finished');
      const reached = STATES.filter((state) => state !== 'absent').map((state) => sandboxAfter(state, event));
      expect(reached).not.toContain('absent');
    }
  });
});
