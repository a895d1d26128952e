import { expect, it } from 'vitest';
import { compareRuns } from '../../src/history/compare/compare-runs.ts';
import type { RecordedRun, RecordedTransition } from '../../src/history/base/recorded-run.ts';
import { storyOf } from '../../src/history/story/run-story.ts';
import { COMBINED } from '../../src/lifecycle/texts/events.ts';
import { runOf } from './runs.ts';
import { recordedOnNode } from './traces.ts';

it('a combined event stops the container in its message, not the container of the first occurrence', () => {
  const run = runOf(
    [
      [1, { phase: 'Running', containers: { a: 'starts', b: 'starts' } }],
      [2, { event: 'Killing', message: `${COMBINED}Stopping container b` }],
      [3, { containers: { b: { exits: 143 } } }],
    ],
    { containers: ['a', 'b'] },
  );
  const aboutFirst = (transition: RecordedTransition): RecordedTransition => {
    const { object } = transition;
    if (object.kind !== 'Event') return transition;
    const involvedObject = { ...object.involvedObject, fieldPath: 'spec.containers{a}' };
    return { ...transition, object: { ...object, involvedObject } };
  };
  const story = storyOf({ ...run, transitions: run.transitions.map(aboutFirst) });
  expect(story?.containers.map(({ name, stops }) => [name, stops.length])).toEqual([
    ['a', 0],
    ['b', 1],
  ]);
});

it('a Pod without a phase is Pending, for timelines as for expectations', () => {
  const run = runOf([[1, { phase: 'Running' }]]);
  const unset = run.transitions.map((transition, index): RecordedTransition => {
    const { object } = transition;
    return index > 0 || object.kind !== 'Pod' ? transition : { ...transition, object: { ...object, status: {} } };
  });
  const story = storyOf({ ...run, transitions: unset });
  const happened = story?.happenings.flatMap((one) => (one.what === 'phase' ? [one.phase] : []));
  expect(story?.phases.map(({ phase }) => phase)).toEqual(happened);
  expect(happened).toEqual(['Pending', 'Running']);
});

it('a run of a container is as long in a comparison as in its timeline, when the record came late', () => {
  const endsAfter = (seconds: number): RecordedRun =>
    runOf([
      [1, { phase: 'Running', containers: { main: 'starts' } }],
      [seconds, { containers: { main: { exits: 0 } } }],
    ]);
  const late = endsAfter(3);
  const delayed = late.transitions.map((one, index) => ({ ...one, at: one.at + (index === 2 ? 5000 : 0) }));
  const run = { ...late, transitions: delayed };
  const [attempt] = storyOf(run)?.containers[0]?.attempts ?? [];
  expect(attempt).toMatchObject({ fromMs: 1000, toMs: 3000 });
  const { differences = [] } = compareRuns(run, endsAfter(20), { share: 0, minMs: 0 }) ?? {};
  expect(differences.find(({ what }) => what === 'length of run 1')).toMatchObject({ aMs: 2000, bMs: 19_000 });
});

it('a container that RestartAllContainers removed has two runs, and only its own ends', () => {
  const [run] = recordedOnNode('rule-restart-all-on-main-exit');
  const story = storyOf(run!);
  expect(story?.containers.map(({ name, attempts }) => [name, ...attempts.map(({ exit }) => exit?.exitCode)])).toEqual([
    ['init-1', 0, 0],
    ['sidecar', undefined, 0],
    ['source', 42, 0],
    ['regular', undefined, 0],
  ]);
  const seen = story?.happenings.flatMap((one) =>
    'run' in one && one.container === 'source' ? [`${one.what} ${one.run}`] : [],
  );
  expect(seen?.filter((text) => !/ready/.test(text))).toEqual([
    'waiting 1',
    'started 1',
    'exited 1',
    'waiting 2',
    'waiting 2',
    'started 2',
    'exited 2',
  ]);
});
