import { EXIT } from '../api/errors.ts';
import type { Clock } from '../clock.ts';
import { listenForSignals } from './apply/signals.ts';
import type { StandardOutput } from './standard-output.ts';

/**
 * Resolves when the user has seen enough: Ctrl-C, or nobody reads any more. As in kubectl, that is exit code 1. Called
 * before anything is printed: what is seen may be stopped.
 */
export async function untilStopped(clock: Clock, out: StandardOutput): Promise<number> {
  await new Promise<void>((resolve) => {
    listenForSignals(clock, () => resolve());
    out.onReaderGone(() => resolve());
  });
  return EXIT.failed;
}
