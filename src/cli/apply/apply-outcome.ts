import type { RunOutcome } from '../../agent/apply-run.ts';
import { EXIT } from '../../api/errors.ts';
import { isTerminalPhase, type StoredEvent, type StoredPod } from '../../api/objects.ts';
import { firstCause } from '../../print/live/first-cause.ts';
import { lastWarning } from '../../print/live/last-warning.ts';
import { waitingFor } from '../../print/live/waiting-for.ts';
import type { FileStore } from '../../store/file-store.ts';
import { tailOfFailure } from '../../run/tail-of-failure.ts';

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
      return failed.map((pod) => `error: pod "${pod.metadata.name}" failed: ${cause(store, pod)}\n`).join('');
    }
    case 'goalImpossible': {
      // As it was when that became certain: afterwards the Pod was ended, which is not the cause.
      const { name } = outcome.pod.metadata;
      return `error: pod "${name}" cannot become ${goal}: ${cause(store, outcome.pod)}\n`;
    }
    case 'timedOut': {
      if (outcome.duringCommand) return `error: timed out after ${timeout} while COMMAND was running\n`;
      const lines = outcome.pods.map((pod) => {
        const warning = isTerminalPhase(pod.status.phase) ? '' : warningBefore(store, pod, outcome.atMs);
        return `pod/${pod.metadata.name}: ${waitingFor(pod, nowMs)}\n${warning}`;
      });
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

function cause(store: FileStore, pod: StoredPod): string {
  return firstCause(pod, tailOfFailure(store, pod));
}

/** How the Pod was ended afterwards is not why it did not get there. */
function warningBefore(store: FileStore, { metadata: { namespace, uid } }: StoredPod, atMs: number): string {
  const events = store
    .list<StoredEvent>('events', { namespace })
    .filter(({ involvedObject }) => involvedObject.uid === uid);
  const warning = lastWarning(events, atMs);
  return warning === undefined ? '' : `  last warning: ${warning}\n`;
}
