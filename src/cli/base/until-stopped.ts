import { EXIT } from '../../api/index.ts';
import { listenForSignals } from './signals.ts';
import type { Cli } from './cli.ts';

/**
 * Resolves on Ctrl-C, or when nobody reads the output. Answers exit code 1, as kubectl does. Call this function before
 * the first output: a user may press Ctrl-C as soon as there is output.
 */
export async function untilStopped(cli: Cli): Promise<number> {
  await new Promise<void>((resolve) => {
    listenForSignals(cli, () => resolve());
    cli.stdout.onReaderGone(() => resolve());
  });
  return EXIT.failed;
}
