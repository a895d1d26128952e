import { expect, it, onTestFinished } from 'vitest';
import { ApplyRun, type RunEnds } from '../../src/engine/run/apply-run.ts';
import { onDefect } from '../../src/defects.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

/** A step of a story: a signal, an output without a reader, or time that passes. */
type Step = 'SIGHUP' | 'SIGINT' | { readonly readerGone: 'SIGHUP' | 'SIGPIPE' } | { readonly waitMs: number };

/** The ways in which the Pods of a run are ended, in order. */
function endings(steps: readonly Step[]): string[] {
  const clock = new ManualClock();
  const seen: string[] = [];
  const ended = { isOver: false, terminate: ({ force }: { force: boolean }) => seen.push(force ? 'killed' : 'ended') };
  const run = new ApplyRun(ended, {
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

const defect = new TypeError('broken');
const fails = (): never => {
  throw defect;
};

/** Each broken part ends the run, and is told once. */
it.each<[what: string, broken: Partial<RunEnds>, outcome: string]>([
  ['the roots', { roots: fails, goal: [{ goal: { type: 'succeeded' } }] }, 'broken'],
  ['the look for Pods that wait in vain', { stuck: fails }, 'broken'],
  ['the question whether it is over', { isOver: fails }, 'broken'],
  ['the listener of the decision', { isOver: () => true, onDecided: fails }, 'ended'],
])('a run ends after a defect in %s', async (_what, broken, type) => {
  const told: unknown[] = [];
  const former = onDefect((each) => void told.push(each));
  onTestFinished(() => void onDefect(former));
  let ended = 0;
  const agent = {
    isOver: false,
    terminate: () => {
      ended += 1;
      agent.isOver = true;
    },
  };
  const run = new ApplyRun(agent, {
    roots: () => [],
    clock: new ManualClock(),
    goal: undefined,
    rules: { settleMs: 0, allowRestarts: false },
    timeoutMs: undefined,
    command: undefined,
    ...broken,
  });
  run.check();
  expect(await run.outcome).toEqual({ type });
  expect({ ended, told }).toEqual({ ended: 1, told: [defect] });
});

it('waits for COMMAND to end, and kills it on a second Ctrl-C', async () => {
  const seen: string[] = [];
  let end = (_exitCode: number): void => undefined;
  const run = new ApplyRun(
    { isOver: true, terminate: () => undefined },
    {
      roots: () => [],
      isOver: () => false,
      clock: new ManualClock(),
      goal: [{ goal: { type: 'succeeded' } }],
      mayBeEmpty: true,
      rules: { settleMs: 0, allowRestarts: false },
      timeoutMs: undefined,
      command: {
        run: () => new Promise((resolve) => (end = resolve)),
        stop: ({ force }) => {
          seen.push(force ? 'killed' : 'ended');
          if (force) end(137);
        },
      },
    },
  );
  void run.outcome.then(({ type }) => seen.push(type));
  run.check();
  run.interrupt('SIGINT');
  await Promise.resolve();
  expect(seen).toEqual(['ended']);
  run.interrupt('SIGINT');
  await run.outcome;
  expect(seen).toEqual(['ended', 'killed', 'interrupted']);
});
