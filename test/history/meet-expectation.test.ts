import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { meetExpectation } from '../../src/history/expect/meet-expectation.ts';
import type { Check } from '../../src/history/expect/meet-steps.ts';
import type { RecordedRun } from '../../src/history/base/recorded-run.ts';
import { readExpectations } from '../../src/manifest/expect/read-expectations.ts';
import { runOf } from './runs.ts';

const run = runOf(
  [
    [0.5, { event: 'Scheduled', message: 'assigned to here' }],
    [1, { phase: 'Running', containers: { main: 'starts', side: 'starts' }, conditions: { Ready: 'True' } }],
    [2, { containers: { main: { exits: 1 } }, conditions: { Ready: 'False' } }],
    [2, { event: 'BackOff' }],
    [2.1, { containers: { main: { waits: 'CrashLoopBackOff' } } }],
    [4, { containers: { main: 'starts' }, conditions: { Ready: 'True' } }],
    [5, { containers: { side: { exits: 0 } } }],
    [5, { event: 'BackOff' }],
    [6, { phase: 'Failed', reason: 'Evicted', containers: { main: { exits: 137, reason: 'OOMKilled' } } }],
  ],
  { containers: ['main', 'side'] },
);

async function checksOf(text: string, recorded = run): Promise<readonly Check[]> {
  const { expectations, mistakes } = await readExpectations('e.yaml', Buffer.from(text));
  expect(mistakes).toEqual([]);
  return expectations.flatMap((expectation) => meetExpectation(expectation, recorded)?.checks ?? []);
}

/** The failed checks in short: the expectation, the problem, and the similar happenings. */
async function unmet(text: string, recorded = run): Promise<string[]> {
  const checks = await checksOf(text, recorded);
  return checks.flatMap((check) =>
    check.met ? [] : [`${check.text} ${check.problem}`, ...check.seen.map((line) => `  ${line}`)],
  );
}

describe('a run that meets its expectation', () => {
  it.each([
    'steps: [{started: main}, {exited: main}, {started: main}, {phase: Failed}]',
    'steps: [{condition: Ready}, {condition: Ready=False}, {condition: Ready}]',
    'steps: [{exited: main, code: 137}]',
    'steps: [{exited: main, code: nonzero, run: 2, reason: OOMKilled}]',
    'steps: [{waiting: main, reason: CrashLoopBackOff}]',
    'steps: [{event: Scheduled, message: to here}]',
    // Happenings of one state may come in any order.
    'steps: [{phase: Running}, {condition: Ready}, {started: side}, {started: main}]',
    'steps: [{unordered: [{exited: side}, {exited: main}, {started: main}]}, {phase: Failed}]',
    // Each pattern takes its own happening: the exit with code 1 is left for the second pattern.
    'steps: [{unordered: [{exited: main}, {exited: main, code: 1}]}]',
    'steps: [{started: main, within: 1s}, {exited: main, within: 1s}, {started: main, after: 2s}]',
    'never: [{exited: side, code: nonzero}, {phase: Succeeded}, {deleted: true}]',
    'phases: [Pending, Running, Failed]',
    'events: {Scheduled: 1, BackOff: ">=2", Unhealthy: 0}',
    'within: 6s',
    'final: {phase: Failed, reason: Evicted, conditions: {Ready: True}, restarts: {main: 1, side: "<1"}}',
    'final: {exitCodes: {main: 137, side: 0}, reasons: {main: OOMKilled, side: Completed}}',
  ])('%s', async (text) => {
    expect(await unmet(text)).toEqual([]);
  });
});

describe('a run that does not meet its expectation', () => {
  it.each([
    [
      'steps: [{exited: main}, {exited: main, code: 0}]',
      'exited: main, code: 0 never came after exited: main (2.000s)',
      '  6.000s  exited: main, run: 2, code: 137, reason: OOMKilled',
    ],
    [
      'steps: [{exited: side}, {started: side}]',
      'started: side never came after exited: side (5.000s)',
      '  1.000s  started: side: before that',
    ],
    [
      'steps: [{started: mian}]',
      'started: mian never came after the creation of the Pod (0.000s)',
      '  1.000s  started: main',
      '  1.000s  started: side',
      '  4.000s  started: main, run: 2',
    ],
    ['steps: [{deleted: true}]', 'deleted never came after the creation of the Pod (0.000s)'],
    [
      'steps: [{started: main}, {exited: main, within: 900ms}]',
      'exited: main came 1.000s after started: main, and not within 0.900s',
      '  2.000s  exited: main, code: 1, reason: Error',
    ],
    [
      'steps: [{started: main, after: 2s}]',
      'started: main came 1.000s after the creation of the Pod, and not after 2.000s',
      '  1.000s  started: main',
    ],
    [
      'steps: [{unordered: [{exited: main, code: 1}, {exited: main, code: 1}]}]',
      'exited: main, code: 1 never came after the creation of the Pod (0.000s)',
      '  2.000s  exited: main, code: 1, reason: Error: before that',
    ],
    [
      'never: [{event: BackOff}]',
      'never event: BackOff came anyway',
      '  2.000s  event: BackOff, message: ""',
      '  5.000s  event: BackOff, message: ""',
    ],
    ['phases: [Pending, Failed]', 'phases: Pending, Failed it was Pending, Running, Failed'],
    ['events: {BackOff: 1}', 'events: BackOff 1 it was 2', '  the events were Scheduled 1, BackOff 2'],
    ['within: 5s', 'within: 5.000s the run took 6.000s'],
    ['final: {phase: Succeeded}', 'final phase: Succeeded it was Failed'],
    ['final: {conditions: {Foo: True}}', 'final condition Foo: True it was none'],
    ['final: {restarts: {main: ">1"}}', 'final restarts of main: >1 it was 1'],
    ['final: {restarts: {x: 0}}', 'final restarts of x: 0 the Pod has no container x', '  it has main, side'],
    ['final: {exitCodes: {main: 0-2}}', 'final exit code of main: 0-2 it was 137'],
    ['final: {reasons: {main: Error}}', 'final reason of main: Error it was OOMKilled'],
  ])('%s', async (text, ...expected) => {
    expect(await unmet(text)).toEqual(expected);
  });

  it('while it still runs', async () => {
    const living = { ...run, transitions: run.transitions.slice(0, 3) };
    expect(await unmet('{within: 5s, final: {exitCodes: {main: 0}}}', living)).toEqual([
      'within: 5.000s the run has not ended',
      'final exit code of main: 0 main has not ended',
    ]);
  });

  it('and the steps after that are not looked for', async () => {
    const { expectations } = await readExpectations(
      'e.yaml',
      Buffer.from('steps:\n- started: x\n- started: main\n- unordered: [{started: y}, {started: z}]\n'),
    );
    const outcome = meetExpectation(expectations[0]!, run);
    expect(outcome?.checks.map(({ place, met }) => [place, met])).toEqual([['e.yaml:2', false]]);
    expect(outcome?.notLookedFor).toBe(3);
  });
});

describe('expectations about nodes', () => {
  const [born] = run.transitions.map(({ object }) => object as StoredPod);
  const state = (at: number, spec: object, status: object): RecordedRun['transitions'][number] => ({
    at,
    type: 'MODIFIED',
    object: { ...born, spec: { ...born?.spec, ...spec }, status: { ...born?.status, ...status } } as StoredPod,
  });
  const evicted = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' };
  const placed: RecordedRun = {
    ...run,
    transitions: [
      ...run.transitions.slice(0, 1),
      state(1, {}, { nominatedNodeName: 'node-1' }),
      state(2, { nodeName: 'node-1' }, {}),
      state(3, { nodeName: 'node-1' }, { conditions: [evicted] }),
    ],
  };

  it('are met by the states of the Pod', async () => {
    const text = `
steps: [{nominated: node-1}, {scheduled: node-1}, {evicted: Preemption}]
never: [{scheduled: node-2}, {evicted: TaintManager}]
final: {node: node-1}
`;
    expect(await unmet(text, placed)).toEqual([]);
  });

  it('say where the Pod was instead', async () => {
    const text = '{never: [{evicted: Preemption}], final: {node: node-2}}';
    expect(await unmet(text, placed)).toEqual([
      'never evicted: Preemption came anyway',
      expect.stringContaining('evicted: Preemption'),
      'final node: node-2 it was node-1',
    ]);
  });
});
