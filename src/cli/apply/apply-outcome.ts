import type { RunOutcome } from '../../agent/apply-run.ts';
import { EXIT } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';

const SIGNAL_EXIT = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.nobodyReads,
  SIGTERM: EXIT.terminated,
} as const;

/** The exit code of `apply`, as its help lists them. */
export function exitCodeOf(outcome: RunOutcome, pods: readonly StoredPod[]): number {
  switch (outcome.type) {
    case 'ended':
      return pods.every(({ status }) => status.phase === 'Succeeded') ? EXIT.ok : EXIT.failed;
    case 'goalMet':
      return EXIT.ok;
    case 'goalImpossible':
      return EXIT.failed;
    case 'timedOut':
      return EXIT.timeout;
    case 'commandEnded':
      return outcome.exitCode;
    case 'interrupted':
      return SIGNAL_EXIT[outcome.signal];
    default:
      return outcome satisfies never;
  }
}
