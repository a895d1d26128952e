import { EXIT } from '../api/errors.ts';
import type { Clock } from '../clock.ts';
import { listenForSignals } from './apply/signals.ts';
import type { StandardOutput } from './standard-output.ts';

/**
 * Resolves on Ctrl-C, or when nobody reads the output. Answers exit code 1, as kubectl does. Call this function before
 * the first output: a user may press Ctrl-C as soon as there is output.
 */
export async function untilStopped(clock: Clock, out: StandardOutput): Promise<number> {
  await new Promise<void>((resolve) => {
    listenForSignals(clock, () => resolve());
    out.onReaderGone(() => resolve());
  });
  return EXIT.failed;
}
