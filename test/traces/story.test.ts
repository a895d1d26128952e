import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../src/api/base/objects.ts';
import { trace } from '../print/golden.ts';
import { comparableStory, DIFFERENCES, type Difference, type Story } from './differences.ts';
import { isSameState } from './pod-state.ts';
import { recordedScenarios } from './recorded.ts';
import { storyOf } from './scenario-run.ts';

/** The same run on another node, at another time, with other images. */
function elsewhere(lines: ReadonlyArray<WatchEvent<unknown>>): Array<WatchEvent<unknown>> {
  const text = JSON.stringify(lines)
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '00000000-0000-4000-8000-000000000000')
    .replaceAll('node-1', 'another-node')
    .replaceAll('busybox:1.37', 'busybox')
    .replaceAll('node:20', 'node')
    .replaceAll('registry.example/library/', '')
    .replaceAll(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, '"2030-01-01T00:00:00.123456Z"');
  return JSON.parse(text) as Array<WatchEvent<unknown>>;
}

const used: Difference[] = [];

function comparable(scenario: string, teller: 'node' | 'podrun', story: Story): Story {
  return comparableStory(story, { scenario, teller, onUse: (difference) => used.push(difference) });
}

describe('storyOf()', () => {
  it.each(recordedScenarios)('is the same for %s wherever and whenever it ran', (scenario) => {
    const lines = trace(scenario);
    expect(JSON.stringify(lines)).not.toBe(JSON.stringify(elsewhere(lines)));
    expect(storyOf(elsewhere(lines))).toEqual(storyOf(lines));
  });

  it('tells a state once, as long as nothing changes', () => {
    const { states } = storyOf(trace('probe-readiness-flips'));
    expect(states.filter((state, index) => index > 0 && isSameState(state, states[index - 1]!))).toEqual([]);
    expect(states.map(({ facts }) => facts['condition Ready']?.split(' ')[0]).join(' ')).toContain('True False True');
  });
});

describe('comparableStory()', () => {
  it('keeps the first of events that repeat as long as something lasts, and every single one', () => {
    const { events } = comparable('another', 'node', storyOf(trace('probe-readiness-flips')));
    expect(events.filter(({ reason }) => reason === 'Unhealthy').length).toBe(1);
    const { events: starts } = comparable('another', 'node', storyOf(trace('restart-crashloop-event')));
    expect(starts.filter(({ reason }) => reason === 'Started').length).toBe(3);
    expect(starts.filter(({ reason }) => reason === 'BackOff').length).toBe(1);
  });

  it('allows a difference in its scenario and of its teller alone', () => {
    const scenario = 'restart-crashloop-event';
    const story = storyOf(trace(scenario));
    used.length = 0;
    const { length } = comparable('another', 'node', story).states;
    expect(comparable('another', 'podrun', story).states.length).toBe(length);
    expect(used).toEqual([]);
    expect(comparable(scenario, 'node', story).states.length).toBeLessThan(length);
    expect(used).toEqual(DIFFERENCES.filter((one) => one.scenario === scenario && one.teller === 'node'));
  });

  it('leaves out that a node tells of a startup probe before what follows from it, for any Pod', () => {
    const story = storyOf(trace('sidecar-startup-probe-gates-next'));
    const left = comparable('another', 'node', story).states;
    expect(left.length).toBeLessThan(story.states.length);
    expect(comparable('another', 'podrun', story).states).toEqual(story.states);
  });

  it.each([
    ['env-is-per-container', 'ends of two regular containers, a second apart', 1],
    ['sidecar-reverse-stop-order', 'nothing of sidecars, which end in order', 0],
  ])('leaves out of %s: %s', (scenario, _what, count) => {
    const story = storyOf(trace(scenario));
    expect(story.states.length - comparable('another', 'node', story).states.length).toBe(count);
  });

  it('takes 137 for 143 of a program that does not catch SIGTERM alone', () => {
    const codes = (scenario: string): string =>
      JSON.stringify(comparable('another', 'node', storyOf(trace(scenario))).states.map(({ facts }) => facts));
    expect(codes('hook-poststart-failure-kills')).toContain('TERM or KILL');
    expect(codes('hook-poststart-failure-kills')).not.toContain(String.raw`exitCode\":137`);
    expect(codes('probe-liveness-grace-override')).toContain(String.raw`exitCode\":137`);
  });
});
