import { describe, expect, it } from 'vitest';
import { compareRuns, type RunComparison } from '../../src/history/compare/compare-runs.ts';
import type { RecordedRun } from '../../src/history/base/recorded-run.ts';
import { type Happening, runOf } from './runs.ts';

type Story = ReadonlyArray<readonly [number, Happening]>;

const TOLERANCE = { share: 0.2, minMs: 500 };

function compared(a: RecordedRun, b: RecordedRun, tolerance = TOLERANCE): RunComparison {
  const comparison = compareRuns(a, b, tolerance);
  if (comparison === undefined) throw new Error('nothing to compare');
  return comparison;
}

/**
 * Each difference in short: `main exit: code 0
 * code 1`.
 */
function between(a: Story, b: Story, containers: readonly string[] = ['main']): string[] {
  const { differences } = compared(runOf(a, { containers }), runOf(b, { containers }));
  return differences.map(({ subject, what, a: before, b: after }) => `${subject} ${what}: ${before} | ${after}`);
}

const starts = (name: string): Happening => ({ containers: { [name]: 'starts' } });
const exits = (code: number, reason?: string, name = 'main'): Happening => ({
  containers: { [name]: { exits: code, ...(reason === undefined ? {} : { reason }) } },
});
const RUNS: Story[number] = [1, { phase: 'Running', ...starts('main'), conditions: { Ready: 'True' } }];
const SUCCEEDS: Story = [RUNS, [3, { phase: 'Succeeded', ...exits(0), conditions: { Ready: 'False' } }]];

const crashLoop = (...codes: number[]): Story =>
  codes.flatMap((code, index): Story => [
    [1 + index * 2, { ...starts('main'), conditions: { Ready: 'True' } }],
    [2 + index * 2, { ...exits(code), conditions: { Ready: 'False' } }],
    [2 + index * 2, { containers: { main: { waits: 'CrashLoopBackOff' } } }],
  ]);

describe('two runs', () => {
  it.each<[string, Story, Story, string[]]>([
    ['the same', SUCCEEDS, SUCCEEDS, []],
    ['times within the tolerance', SUCCEEDS, [RUNS, [3.3, SUCCEEDS[1]![1]]], []],
    [
      'another phase, exit and reason',
      SUCCEEDS,
      [RUNS, [3, { phase: 'Failed', reason: 'Evicted', ...exits(137, 'OOMKilled'), conditions: { Ready: 'False' } }]],
      [
        'Pod phases: Pending, Running, Succeeded | Pending, Running, Failed',
        'Pod reason: none | Evicted',
        'main exit: code 0 | code 137 (OOMKilled)',
      ],
    ],
    [
      'one that is not over',
      SUCCEEDS,
      [RUNS],
      [
        'Pod phases: Pending, Running, Succeeded | Pending, Running',
        'Pod condition Ready: True, False | True',
        'main exit: code 0 | none',
        'main ready: yes, no | yes',
      ],
    ],
    [
      'one that was never ready',
      [RUNS],
      [[1, { phase: 'Running' }]],
      ['Pod condition Ready: True | none', 'main container: started | never started', 'main ready: yes | never'],
    ],
    [
      'more restarts, which turn conditions more often',
      crashLoop(1, 1),
      crashLoop(1, 1, 1, 1),
      ['main restarts: 1 | 3'],
    ],
    [
      'other codes, run by run',
      crashLoop(1, 1, 1, 2),
      crashLoop(1, 3, 3, 0),
      ['main exit of runs 2 to 3: code 1 | code 3', 'main exit of run 4: code 2 | code 0'],
    ],
    [
      'something to wait for',
      [RUNS],
      [[0.5, { containers: { main: { waits: 'ErrImagePull' } } }], RUNS],
      ['main waited for: none | ErrImagePull'],
    ],
    [
      'events, however often they come',
      [RUNS, [2, { event: 'Unhealthy' }], [3, { event: 'Pulled' }]],
      [RUNS, [2, { event: 'Pulled' }], [3, { event: 'Pulled' }], [4, { event: 'BackOff' }], [5, { event: 'BackOff' }]],
      ['Pod event Unhealthy: once | none', 'Pod event BackOff: none | 2 times'],
    ],
    [
      'times beyond the tolerance',
      SUCCEEDS,
      [
        [1.51, RUNS[1]],
        [6, SUCCEEDS[1]![1]],
      ],
      ['Pod time to Ready: 1.000s | 1.510s', 'main length of run 1: 2.000s | 4.490s', 'Pod whole run: 3.000s | 6.000s'],
    ],
    [
      'the wait before a restart',
      [RUNS, [2, exits(1)], [3, starts('main')]],
      [RUNS, [2, exits(1)], [5, starts('main')]],
      ['main wait for run 2: 1.000s | 3.000s'],
    ],
  ])('%s', (_, a, b, expected) => {
    expect(between(a, b)).toEqual(expected);
  });

  it('are compared by the order of starts and exits', () => {
    const story = (a: number, b: number): Story =>
      [[a, starts('a')] as const, [b, starts('b')] as const].toSorted(([one], [other]) => one - other);
    const order = (a: Story, b: Story): string[] => between(a, b, ['a', 'b']);
    expect(order(story(1, 2), story(2, 1))).toEqual([
      'a order: a.started before b.started | b.started before a.started',
    ]);
    // Almost simultaneous steps may come in either order.
    expect(order(story(1, 1.1), story(1.1, 1))).toEqual([]);
  });

  it('of several steps that moved together name the nearest', () => {
    const late: Story = [[5, starts('a')], ...crashLoop(1)].toSorted(
      ([one], [other]) => (one as number) - (other as number),
    ) as unknown as Story;
    const early: Story = [[0.1, starts('a')], ...crashLoop(1)];
    expect(between(early, late, ['a', 'main']).filter((text) => text.includes('order'))).toEqual([
      'a order: a.started before main.started | main.started before a.started',
    ]);
  });

  it('with other containers, and with manifests that explain it', () => {
    const spec = (command: string[], name = 'main'): { containers: object[] } => ({
      containers: [{ name, image: 'busybox', command, env: [{ name: 'A', value: command.join('') }] }],
    });
    const { differences, manifest } = compared(
      runOf([], { spec: spec(['x']) as never }),
      runOf([], { spec: { ...spec(['x', 'y']), nodeName: 'here' } as never }),
    );
    expect(differences).toEqual([]);
    expect(manifest).toEqual([
      { path: 'spec.containers[main].command', a: ['x'], b: ['x', 'y'] },
      { path: 'spec.containers[main].env[A].value', a: 'x', b: 'xy' },
    ]);
    const other = compared(runOf([], { containers: ['a'] }), runOf([], { containers: ['b'] }));
    expect(other.differences.map(({ subject, a, b }) => [subject, a, b])).toEqual([
      ['a', 'in the Pod', 'none'],
      ['b', 'none', 'in the Pod'],
    ]);
  });

  it('of which nothing is on record are not compared', () => {
    expect(compareRuns(runOf([]), { ...runOf([]), transitions: [] }, TOLERANCE)).toBeUndefined();
  });
});
