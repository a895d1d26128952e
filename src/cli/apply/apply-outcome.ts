import type { RunOutcome } from '../../agent/apply-run.ts';
import { EXIT } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { FileStore } from '../../store/file-store.ts';
import { causeWithEvidence, waitingLines } from '../../run/explain-pods.ts';

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

export interface Explanation {
  readonly outcome: RunOutcome;
  /** The Pods as they ended. */
  readonly pods: readonly StoredPod[];
  readonly store: FileStore;
  /** The goal and the time-out, as people write them. */
  readonly goal: string;
  readonly timeout: string | undefined;
  readonly nowMs: number;
}

/** What is said last, on standard error: why it did not end well. Empty when there is nothing to explain. */
export function explainOutcome({ outcome, pods, store, goal, timeout, nowMs }: Explanation): string {
  switch (outcome.type) {
    case 'ended': {
      const failed = pods.filter(({ status }) => status.phase === 'Failed');
      return failed
        .map((pod) => `error: pod "${pod.metadata.name}" failed: ${causeWithEvidence(store, pod)}\n`)
        .join('');
    }
    case 'goalImpossible': {
      // As it was when that became certain: afterwards the Pod was ended, which is not the cause.
      const { name } = outcome.pod.metadata;
      return `error: pod "${name}" cannot become ${goal}: ${causeWithEvidence(store, outcome.pod)}\n`;
    }
    case 'timedOut': {
      if (outcome.duringCommand) return `error: timed out after ${timeout} while COMMAND was running\n`;
      const lines = outcome.pods.map((pod) => waitingLines(store, pod, { atMs: outcome.atMs, nowMs }));
      return `error: timed out after ${timeout}\n${lines.join('')}`;
    }
    case 'goalMet':
    case 'commandEnded':
    case 'interrupted':
      return '';
    default:
      return outcome satisfies never;
  }
}
