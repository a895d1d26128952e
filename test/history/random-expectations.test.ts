import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Expectation, Pattern, WrittenPattern } from '../../src/history/expect/expectation.ts';
import type { Happening as Seen } from '../../src/history/story/model.ts';
import { meetExpectation } from '../../src/history/expect/meet-expectation.ts';
import type { Check } from '../../src/history/expect/meet-steps.ts';
import type { RecordedRun } from '../../src/history/base/recorded-run.ts';
import { storyOf } from '../../src/history/story/run-story.ts';
import { readExpectations } from '../../src/manifest/expect/read-expectations.ts';
import { renderExpectation } from '../../src/print/expectation/expectation-file.ts';
import { randomHappenings } from './random-happenings.ts';
import { runOf } from './runs.ts';

describe('expectations of random runs', () => {
  const options = { containers: ['a', 'b'] };
  const randomRun = randomHappenings().map((story) => runOf(story, options));

  it('do what they did', () => {
    fc.assert(
      fc.property(randomRun, (recorded) => {
        const steps = storyOf(recorded)!.happenings.flatMap((one) => asExpected(one));
        expect(
          failures(
            recorded,
            steps.map((step) => [step]),
          ),
        ).toEqual([]);
      }),
    );
  });

  it('do in any order, state by state, what they did', () => {
    fc.assert(
      fc.property(randomRun, fc.nat(), (recorded, turn) => {
        const groups = statesIn(recorded).map((state) => {
          const steps = state.flatMap((one) => asExpected(one));
          const at = steps.length === 0 ? 0 : turn % steps.length;
          return [...steps.slice(at), ...steps.slice(0, at)];
        });
        expect(failures(recorded, groups)).toEqual([]);
        expect(failures(recorded, [groups.flat()])).toEqual([]);
      }),
    );
  });

  it('do not do more than they did', () => {
    fc.assert(
      fc.property(randomRun, (recorded) => {
        const steps = storyOf(recorded)!.happenings.flatMap((one) => asExpected(one));
        const [last] = steps.slice(-1);
        if (last === undefined) return;
        // The event came one time less.
        expect(
          failures(
            recorded,
            [...steps, last].map((step) => [step]),
          ),
        ).toHaveLength(1);
      }),
    );
  });

  it('do what is printed of them', async () => {
    await fc.assert(
      fc.asyncProperty(randomRun, async (recorded) => {
        const story = storyOf(recorded)!;
        const { expectations, mistakes } = await readExpectations('e.yaml', Buffer.from(renderExpectation(story)));
        expect(mistakes).toEqual([]);
        const checks = expectations.flatMap((one) => meetExpectation(one, recorded)?.checks ?? []);
        expect(checks.filter(({ met }) => !met)).toEqual([]);
        expect(checks.length).toBeGreaterThan(0);
      }),
    );
  });
});

function failures(recorded: RecordedRun, steps: ReadonlyArray<readonly WrittenPattern[]>): readonly Check[] {
  const none = new Map<string, never>();
  const final = { conditions: none, restarts: none, exitCodes: none, reasons: none };
  const expectation: Expectation = { place: '', steps, never: [], events: none, final };
  return meetExpectation(expectation, recorded)!.checks.filter(({ met }) => !met);
}

/** The happenings of a run, transition by transition. */
function statesIn(recorded: RecordedRun): Seen[][] {
  const { happenings } = storyOf(recorded)!;
  return recorded.transitions.map((_, index) => happenings.filter(({ transition }) => transition === index));
}

/** A pattern with all details of a happening. No run can expect the creation. */
function asExpected(one: Seen): WrittenPattern[] {
  const pattern = patternOf(one);
  return pattern === undefined ? [] : [{ pattern, place: '' }];
}

function patternOf(one: Seen): Pattern | undefined {
  switch (one.what) {
    case 'created':
      return undefined;
    case 'phase':
      return { what: 'phase', subject: one.phase };
    case 'condition':
      return { what: 'condition', subject: one.type, status: one.status };
    case 'event':
      return { what: 'event', subject: one.event.reason ?? '', message: one.event.message ?? '' };
    case 'exited': {
      const code = { min: one.exitCode, max: one.exitCode, text: '' };
      return { what: 'exited', subject: one.container, run: one.run, code, reason: one.reason };
    }
    case 'waiting':
      return { what: 'waiting', subject: one.container, run: one.run, reason: one.reason };
    case 'deleted':
      return { what: 'deleted', subject: '' };
    case 'scheduled':
    case 'nominated':
    case 'evicted':
      return { what: one.what, subject: one.subject };
    case 'started':
    case 'ready':
    case 'unready':
      return { what: one.what, subject: one.container, run: one.run };
    default:
      return one satisfies never;
  }
}
