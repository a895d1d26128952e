import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../src/api/base/objects.ts';
import { Places } from '../places.ts';
import { trace } from '../print/golden.ts';
import {
  comparableStory,
  type Difference,
  DIFFERENCES,
  isCutOff,
  REPEATING,
  type Story,
  type Teller,
} from './differences.ts';
import { eventMismatch, historyMismatch } from './history.ts';
import { needsOf, recordedScenarios } from './recorded.ts';
import { runScenario, Scenarios, storiesOf } from './scenario-run.ts';
import { changedTimes } from './times.ts';
import { has, need } from '../needs.ts';

type Lines = ReadonlyArray<WatchEvent<unknown>>;

const used = new Set<Difference>();
/** Podruns that run at the same time: they mostly wait. */
const places = new Places(8);
const scenarios = new Scenarios();
const runs = new Map<string, Promise<Lines>>();

function comparable(scenario: string, teller: Teller, story: Story = { states: [], events: [] }): Story {
  return comparableStory(story, { scenario, teller, onUse: (difference) => used.add(difference) });
}

/** `npm test` runs the recordings that are not longer. Default: all. */
const LONGEST_SECONDS = Number(process.env['PODRUN_RECORDED_SECONDS'] ?? Number.POSITIVE_INFINITY);
const isPermitted = (scenario: string): boolean => needsOf(scenario).every(has);
const lengths = new Map(recordedScenarios.map((scenario) => [scenario, trace(scenario).at(-1)?.t ?? 0]));
const lengthOf = (scenario: string): number => lengths.get(scenario) ?? 0;
const chosen = recordedScenarios.filter((scenario) => lengthOf(scenario) <= LONGEST_SECONDS);
const areAll = chosen.length === recordedScenarios.length;

describe('what a node of Kubernetes 1.36 did, podrun does', () => {
  // oxlint-disable-next-line no-empty-pattern -- vitest takes from a pattern which fixtures a hook wants
  beforeAll(({}, { tasks }) => {
    const asked = new Set(tasks.filter(({ mode }) => mode !== 'skip').map(({ name }) => name));
    const begun = chosen.filter((scenario) => asked.has(scenario) && isPermitted(scenario));
    // The longest run starts first. The test that waits for a run reports its failure.
    for (const scenario of begun.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
      const run = places.within(() => runScenario(scenario, trace(scenario), scenarios));
      run.catch(() => undefined);
      runs.set(scenario, run);
    }
  });

  afterAll(() => scenarios.close());

  it.for(chosen)('%s', async (scenario, context) => {
    need(context, ...needsOf(scenario));
    const recorded = trace(scenario);
    const run = runs.get(scenario) ?? runScenario(scenario, recorded, scenarios);
    runs.delete(scenario);
    const lines = await run;
    const stories = storiesOf(lines);
    for (const [name, story] of Object.entries(storiesOf(recorded))) {
      const node = comparable(scenario, 'node', story);
      const podrun = comparable(scenario, 'podrun', stories[name]);
      expect(historyMismatch(node.states, podrun.states)).toBeUndefined();
      expect(eventMismatch(node.events, podrun.events, isCutOff(story))).toBeUndefined();
    }
    expect(changedTimes(lines)).toEqual([]);
  });
});

describe('the table of differences', () => {
  if (areAll) {
    it('has no line that nothing needs', () => {
      expect(DIFFERENCES.filter((difference) => !used.has(difference))).toEqual([]);
    });
  }

  it('knows only events that a node did repeat', () => {
    const events = recordedScenarios.flatMap((scenario) => trace(scenario).map(({ object }) => object));
    const repeated = events.filter((object) => object.kind === 'Event' && (object.count ?? 1) > 1);
    const reasons = new Set(repeated.map((event) => 'reason' in event && event.reason));
    expect(Object.keys(REPEATING).filter((reason) => !reasons.has(reason))).toEqual([]);
  });
});
