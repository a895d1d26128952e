import type { Expectation, NumberRange, Written } from './expectation.ts';
import { allContainerStatuses } from '../../api/index.ts';
import { type Check, happeningLine, meetSteps, seconds } from './meet-steps.ts';
import { isInRange, matches, patternText } from './pattern-match.ts';
import type { RecordedRun } from '../base/recorded-run.ts';
import type { Happening, RunStory } from '../story/model.ts';
import { eventCounts, lengthOf, recordedExit, restartsOf, storyOf } from '../story/run-story.ts';

/** The result of checking a run. */
export interface Outcome {
  readonly checks: readonly Check[];
  /** The steps that were not checked, because an earlier step failed. */
  readonly notLookedFor: number;
}

/**
 * Checks a run against an expectation. Checks steps up to the first failure, and everything else in any case.
 * Undefined: the Pod has no recorded state.
 */
export function meetExpectation(expectation: Expectation, run: RecordedRun): Outcome | undefined {
  const story = storyOf(run);
  if (story === undefined) return undefined;
  const { happenings } = story;
  const steps = meetSteps(expectation.steps, happenings);
  const checks = [
    ...steps,
    ...neverCame(expectation, happenings),
    ...phasesCame(expectation, story),
    ...eventsCame(expectation, story),
    ...wasOverWithin(expectation, story),
    ...endedAs(expectation, story),
  ];
  return { checks, notLookedFor: expectation.steps.flat().length - steps.length };
}

function neverCame({ never }: Expectation, happenings: readonly Happening[]): Check[] {
  return never.map(({ pattern, place }) => {
    const seen = happenings.filter((happening) => matches(pattern, happening)).map(happeningLine);
    const text = `never ${patternText(pattern)}`;
    return seen.length === 0 ? { place, text, met: true } : { place, text, met: false, problem: 'came anyway', seen };
  });
}

function phasesCame({ phases }: Expectation, story: RunStory): Check[] {
  if (phases === undefined) return [];
  const expected = phases.value.join(', ');
  return [
    sameText(
      { place: phases.place, text: `phases: ${expected}` },
      expected,
      story.phases.map(({ phase }) => phase).join(', '),
    ),
  ];
}

function eventsCame({ events }: Expectation, story: RunStory): Check[] {
  const counts = eventCounts(story);
  const others = [...counts].map(([reason, times]) => `${reason} ${times}`).join(', ');
  return [...events].map(([reason, { value: range, place }]) => {
    const what = { place, text: `events: ${reason} ${range.text}` };
    const seen = [`the events were ${others || 'none'}`];
    return inRange(what, { range, value: counts.get(reason) ?? 0, seen });
  });
}

function wasOverWithin({ withinMs }: Expectation, story: RunStory): Check[] {
  if (withinMs === undefined) return [];
  const { value: limitMs, place } = withinMs;
  const { isOver } = story;
  const lengthMs = lengthOf(story);
  const what = { place, text: `within: ${seconds(limitMs)}` };
  if (isOver && lengthMs <= limitMs) return [{ ...what, met: true, atMs: lengthMs }];
  return [notMet(what, isOver ? `the run took ${seconds(lengthMs)}` : 'the run has not ended', [])];
}

function endedAs({ final }: Expectation, story: RunStory): Check[] {
  const { spec, status } = story.pod;
  const { phase, reason, node } = final;
  return [
    ...(phase === undefined ? [] : [sameText(inTheEnd(phase, `phase: ${phase.value}`), phase.value, status.phase)]),
    ...(reason === undefined
      ? []
      : [sameText(inTheEnd(reason, `reason: ${reason.value}`), reason.value, status.reason)]),
    ...(node === undefined ? [] : [sameText(inTheEnd(node, `node: ${node.value}`), node.value, spec.nodeName)]),
    ...[...final.conditions].map(([type, expected]) => {
      const seen = status.conditions?.find((condition) => condition.type === type)?.status;
      return sameText(inTheEnd(expected, `condition ${type}: ${expected.value}`), expected.value, seen);
    }),
    ...ofContainers(story, final.restarts, (name, expected) => {
      const what = inTheEnd(expected, `restarts of ${name}: ${expected.value.text}`);
      return inRange(what, { range: expected.value, value: restartsOf(story, name), seen: [] });
    }),
    ...ofContainers(story, final.exitCodes, (name, expected) => {
      const what = inTheEnd(expected, `exit code of ${name}: ${expected.value.text}`);
      const value = recordedExit(story, name)?.exitCode;
      return value === undefined
        ? notMet(what, `${name} has not ended`, [])
        : inRange(what, { range: expected.value, value, seen: [] });
    }),
    ...ofContainers(story, final.reasons, (name, expected) => {
      const what = inTheEnd(expected, `reason of ${name}: ${expected.value}`);
      const present = allContainerStatuses(status).find((entry) => entry.name === name)?.state?.waiting?.reason;
      const seen = [recordedExit(story, name)?.reason, present].filter((known) => known !== undefined);
      return seen.includes(expected.value)
        ? { ...what, met: true }
        : notMet(what, `it was ${seen.join(', ') || 'none'}`, []);
    }),
  ];
}

/** Checks one value of each of these containers. Fails for a container that the Pod does not have. */
function ofContainers<T>(
  { containers }: RunStory,
  expected: ReadonlyMap<string, Written<T>>,
  check: (name: string, expected: Written<T>) => Check,
): Check[] {
  const names = containers.map(({ name }) => name);
  return [...expected].map(([name, expectation]) => {
    const checked = check(name, expectation);
    if (names.includes(name)) return checked;
    return notMet(checked, `the Pod has no container ${name}`, [`it has ${names.join(', ')}`]);
  });
}

type ExpectationRef = Pick<Check, 'place' | 'text'>;

function inTheEnd({ place }: Written<unknown>, text: string): ExpectationRef {
  return { place, text: `final ${text}` };
}

function notMet({ place, text }: ExpectationRef, problem: string, seen: readonly string[]): Check {
  return { place, text, met: false, problem, seen };
}

function sameText(what: ExpectationRef, expected: string, seen: string | undefined): Check {
  return expected === seen ? { ...what, met: true } : notMet(what, `it was ${seen || 'none'}`, []);
}

function inRange(
  what: ExpectationRef,
  { range, value, seen }: { readonly range: NumberRange; readonly value: number; readonly seen: readonly string[] },
): Check {
  return isInRange(range, value) ? { ...what, met: true } : notMet(what, `it was ${value}`, seen);
}
