import { describe, expect, it } from 'vitest';
import { trace } from '../print/golden.ts';
import { comparableStory, type Difference, DIFFERENCES, REPEATING, type Story, type Teller } from './differences.ts';
import { eventMismatch, historyMismatch } from './history.ts';
import { recordedScenarios } from './recorded.ts';
import { changedTimes } from './times.ts';
import { runScenario, storyOf } from './scenario-run.ts';

const used = new Set<Difference>();

function comparable(scenario: string, teller: Teller, story: Story): Story {
  return comparableStory(story, { scenario, teller, onUse: (difference) => used.add(difference) });
}

describe('what a node of Kubernetes 1.36 did, podrun does', () => {
  // The programs of the manifests sleep for seconds: where a start takes as long, what happens is something else. What
  // podrun does otherwise than a node it does each time.
  it.concurrent.each(recordedScenarios)('%s', { timeout: 60_000, retry: 2 }, async (scenario) => {
    const recorded = trace(scenario);
    const node = comparable(scenario, 'node', storyOf(recorded));
    const lines = await runScenario(scenario, recorded);
    const podrun = comparable(scenario, 'podrun', storyOf(lines));
    expect(historyMismatch(node.states, podrun.states)).toBeUndefined();
    expect(eventMismatch(node.events, podrun.events)).toBeUndefined();
    expect(changedTimes(lines)).toEqual([]);
  });
});

describe('the table of differences', () => {
  it('has no line that nothing needs', () => {
    expect(DIFFERENCES.filter((difference) => !used.has(difference))).toEqual([]);
  });

  it('knows only events that a node did repeat', () => {
    const events = recordedScenarios.flatMap((scenario) => trace(scenario).map(({ object }) => object));
    const repeated = events.filter((object) => object.kind === 'Event' && (object.count ?? 1) > 1);
    const reasons = new Set(repeated.map((event) => 'reason' in event && event.reason));
    expect(Object.keys(REPEATING).filter((reason) => !reasons.has(reason))).toEqual([]);
  });
});
