import { afterAll } from 'vitest';
import { onDefect } from '../src/defects.ts';

// Loaded for each test file.

/** A defect that a test does not expect fails the run: podrun itself would tell it and go on. */
onDefect((defect) => {
  queueMicrotask(() => {
    throw defect;
  });
});

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGTSTP', 'SIGCONT', 'SIGWINCH'] as const;

const listeners = (): string => SIGNALS.map((name) => `${name}: ${process.listenerCount(name)}`).join(', ');

// Commands that tests run in their own process listen to its signals. One that still listens after its end takes the
// signals of the commands behind it, in this file and in the next one of the worker.
const before = listeners();
afterAll(() => {
  const left = listeners();
  if (left !== before) throw new Error(`Tests have left listeners of signals behind: ${left} (before: ${before})`);
});
