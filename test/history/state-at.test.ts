import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../src/api/base/errors.ts';
import { parseMoment } from '../../src/history/base/moment.ts';
import { onRecordAt, type RunState, stateAt } from '../../src/history/base/state-at.ts';
import { BEGIN_MS, runOf } from './runs.ts';

/** Restarts at 2 s and 4 s, fails at 5 s, and is deleted a minute after its beginning. */
const run = runOf(
  [
    [0.5, { event: 'Scheduled' }],
    [1, { phase: 'Running', containers: { main: 'starts', side: 'starts' }, conditions: { Ready: 'True' } }],
    [1.5, { containers: { main: { exits: 1 } }, conditions: { Ready: 'False' } }],
    [1.5, { event: 'BackOff' }],
    [2, { containers: { main: 'starts' } }],
    [3, { containers: { main: { exits: 1 } } }],
    [3, { event: 'BackOff' }],
    [4, { containers: { main: 'starts' } }],
    [5, { phase: 'Failed', containers: { main: { exits: 3 }, side: { exits: 0 } } }],
    [60, { deleted: true }],
  ],
  { containers: ['main', 'side'] },
);
const living = { ...run, transitions: run.transitions.slice(0, 5) };
const NOW_MS = BEGIN_MS + 30_000;

const at = (moment: string, recorded = run): RunState => stateAt({ run: 'web', recorded }, parseMoment(moment), NOW_MS);

/** Phase, restart counts and events: `Running 1,0 Scheduled BackOff*2`. */
function inShort({ pod: { status }, events }: RunState): string {
  const counts = (status.containerStatuses ?? []).map(({ restartCount }) => restartCount).join();
  return [status.phase, counts, ...events.map(({ reason, count }) => `${reason}*${count}`)].filter(Boolean).join(' ');
}

describe('a run at a moment', () => {
  it.each([
    ['0s', 0, 'Pending'],
    ['0.999s', 0.999, 'Pending Scheduled*1'],
    ['1s', 1, 'Running 0,0 Scheduled*1'],
    ['1500ms', 1.5, 'Running 0,0 Scheduled*1 BackOff*1'],
    ['3.2s', 3.2, 'Running 1,0 Scheduled*1 BackOff*2'],
    ['2026-01-15T12:00:02.000000Z', 2, 'Running 1,0 Scheduled*1 BackOff*1'],
    ['2026-01-15T14:00:02+02:00', 2, 'Running 1,0 Scheduled*1 BackOff*1'],
    ['restart:1', 2, 'Running 1,0 Scheduled*1 BackOff*1'],
    ['restart:2', 4, 'Running 2,0 Scheduled*1 BackOff*2'],
    ['restart:main:2', 4, 'Running 2,0 Scheduled*1 BackOff*2'],
    ['phase:Running', 1, 'Running 0,0 Scheduled*1'],
    ['phase:failed', 5, 'Failed 2,0 Scheduled*1 BackOff*2'],
    ['condition:Ready', 1, 'Running 0,0 Scheduled*1'],
    ['condition:Ready=False', 1.5, 'Running 0,0 Scheduled*1 BackOff*1'],
    ['end', 5, 'Failed 2,0 Scheduled*1 BackOff*2'],
    ['5s', 5, 'Failed 2,0 Scheduled*1 BackOff*2'],
  ])('%s', (moment, seconds, text) => {
    const state = at(moment);
    expect([inShort(state), (state.atMs - BEGIN_MS) / 1000]).toEqual([text, seconds]);
  });

  it('that has not ended lasts until now', () => {
    expect(inShort(at('29s', living))).toBe(inShort(at('end', living)));
    expect(at('end', living).atMs).toBe(NOW_MS);
  });

  it('is, at the time of each of its states, in that state', () => {
    for (const { at: atMs, type, object } of run.transitions) {
      if (object.kind !== 'Pod' || type === 'DELETED') continue;
      expect(stateAt({ run: 'web', recorded: run }, { how: 'time', ms: atMs }, NOW_MS).pod).toBe(object);
    }
  });

  const range = 'The record reaches from 0s (2026-01-15T12:00:00.000000Z) to';
  it.each([
    ['6s', 'the run web ended after 5.000s: 6.000s is later', `${range} 5.000s (2026-01-15T12:00:05.000000Z).`],
    ['99h', 'the run web ended after 5.000s: 99h0m0s is later', `${range} 5.000s (2026-01-15T12:00:05.000000Z).`],
    ['-1s', '-1.000s is before the beginning of the run web', `${range} 5.000s (2026-01-15T12:00:05.000000Z).`],
    [
      '2026-01-15T11:59:59Z',
      '2026-01-15T11:59:59.000000Z is before the beginning of the run web',
      `${range} 5.000s (2026-01-15T12:00:05.000000Z).`,
    ],
    ['restart:3', 'in the run web no container had the restart count 3', 'The restart counts came to: main 2, side 0.'],
    [
      'restart:side:1',
      'in the run web container side never had the restart count 1',
      'The restart counts came to: main 2, side 0.',
    ],
    [
      'phase:Succeeded',
      'the phase of the run web was never Succeeded',
      'It was Pending (0.000s), Running (1.000s), Failed (5.000s).',
    ],
    [
      'condition:Foo',
      'in the run web the condition Foo was never True',
      'There were Ready=True (1.000s), Ready=False (1.500s).',
    ],
  ])('%s is none of it', (moment, message, hint) => {
    const seen = errorOf(() => at(moment));
    expect([seen.message, seen.hint, seen.exitCode]).toEqual([message, hint, 1]);
  });

  it('cannot be in the future', () => {
    expect(() => at('31s', living)).toThrow('the run web has lasted 30.000s so far: 31.000s has not come yet');
  });

  it.each([
    '',
    '3x',
    '3',
    'restart:',
    'restart:0',
    'restart:a:b:1',
    'phase:Ready',
    'condition:',
    'condition:Ready=Yes',
  ])('%j is no moment', (text) => {
    const seen = errorOf(() => parseMoment(text));
    expect(seen.message).toMatch(/^invalid argument ".*" for "--at" flag: /);
    expect(seen.exitCode).toBe(2);
  });
});

describe('the recorded state at a time', () => {
  it.each([
    [-1, undefined],
    [0, 'Pending'],
    [59, 'Failed 2,0 Scheduled*1 BackOff*2'],
    [60, undefined],
  ])('%d s after the beginning', (seconds, text) => {
    const state = onRecordAt(run, BEGIN_MS + seconds * 1000);
    expect(state === undefined ? undefined : inShort(state)).toBe(text);
  });
});

function errorOf(run_: () => unknown): PodrunError {
  try {
    run_();
  } catch (error) {
    if (error instanceof PodrunError) return error;
    throw error;
  }
  throw new Error('no error');
}
