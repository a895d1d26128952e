import { expect, it } from 'vitest';
import { ApplyRun } from '../../../src/agent/runs/apply-run.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

/** A step of a story: a signal, an output without a reader, or time that passes. */
type Step = 'SIGHUP' | 'SIGINT' | { readonly readerGone: 'SIGHUP' | 'SIGPIPE' } | { readonly waitMs: number };

/** The ways in which the Pods of a run are ended, in order. */
function endings(steps: readonly Step[]): string[] {
  const clock = new ManualClock();
  const seen: string[] = [];
  const run = new ApplyRun({
    agent: { isOver: false, terminate: ({ force }) => seen.push(force ? 'killed' : 'ended') },
    roots: () => [],
    clock,
    goal: undefined,
    rules: { settleMs: 0, allowRestarts: false },
    timeoutMs: undefined,
    command: undefined,
  });
  for (const step of steps) {
    if (typeof step === 'string') run.interrupt(step);
    else if ('waitMs' in step) clock.advance(step.waitMs);
    else run.readerGone(step.readerGone);
  }
  return seen;
}

it.each<[what: string, steps: Step[], want: string[]]>([
  ['one Ctrl-C', ['SIGINT'], ['ended']],
  ['a second Ctrl-C', ['SIGINT', 'SIGINT'], ['ended', 'killed']],
  ['a hang-up that the shell passes on', ['SIGHUP', { waitMs: 900 }, 'SIGHUP'], ['ended']],
  [
    'a hang-up, and later output that finds no terminal',
    ['SIGHUP', { waitMs: 5000 }, { readerGone: 'SIGHUP' }],
    ['ended'],
  ],
  ['output that finds no terminal, and then the hang-up', [{ readerGone: 'SIGHUP' }, 'SIGHUP'], ['ended']],
  ['a terminal that is closed while the Pods end', ['SIGINT', { waitMs: 5000 }, 'SIGHUP'], ['ended']],
  ['a Ctrl-C that ends the reader, too', ['SIGINT', { readerGone: 'SIGPIPE' }], ['ended']],
  ['a second SIGHUP after more than a second', ['SIGHUP', { waitMs: 1100 }, 'SIGHUP'], ['ended', 'killed']],
  ['a Ctrl-C after nobody reads any more', [{ readerGone: 'SIGPIPE' }, 'SIGINT'], ['ended', 'killed']],
])('%s', (_what, steps, want) => {
  expect(endings(steps)).toEqual(want);
});
