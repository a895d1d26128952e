import type { Instant, TerminalPhase } from '../../api/index.ts';

/** The reason for the termination of a Pod. */
export type TerminationCause =
  /** The object has a deletionTimestamp. */
  | 'deleted'
  /** Every container is done, or an init container has failed for good. */
  | 'completed'
  /** activeDeadlineSeconds has passed. */
  | 'deadlineExceeded'
  /** The Pod stores more than its limits permit, or its node lacks memory or disk space. */
  | 'evicted'
  /** The agent itself ends the run: interrupted, goal reached or time-out. */
  | 'ended';

/** The reason for a termination. An eviction has a message, which the status shows. */
export type TerminationReason =
  | { readonly cause: Exclude<TerminationCause, 'evicted'> }
  | {
      readonly cause: 'evicted';
      /** The reason in the status. Default: Evicted. */
      readonly reason?: string | undefined;
      readonly message: string;
      /** True: the node lacks something. The Pod gets the condition DisruptionTarget. */
      readonly byNode: boolean;
    };

export type Termination = TerminationReason & {
  readonly since: Instant;
  /** At least 1, as in the kubelet. Later requests can only make it shorter. */
  readonly graceSeconds: number;
  /** True: every container is killed at once. */
  readonly force: boolean;
  /** The terminal phase that another writer put into the status, which ended the Pod. The Pod keeps it. */
  readonly phase: TerminalPhase | undefined;
};

/** The end of a Pod. It never goes back: a terminating Pod does not come back. */
export type Ending =
  | { readonly stage: 'none' }
  /** Requested while a postStart hook ran. It begins when the current starts are over. */
  | { readonly stage: 'requested'; readonly termination: Termination }
  | { readonly stage: 'terminating'; readonly termination: Termination };

interface Consequences {
  /** True: the Pod has failed, whatever its containers do. */
  readonly failsPod: boolean;
  /** True: the status shows no coming restarts. Source: pkg/kubelet/container/helpers.go ShouldContainerBeRestarted. */
  readonly hidesRestarts: boolean;
  /** True: a deadline that passes meanwhile still becomes the cause. Source: pkg/kubelet/active_deadline.go. */
  readonly yieldsToDeadline: boolean;
  /** True: running starts are cut off after the grace period (the user may be gone and cannot force it). */
  readonly limitsStarts: boolean;
}

export const CONSEQUENCES: Readonly<Record<TerminationCause, Consequences>> = {
  deleted: { failsPod: false, hidesRestarts: false, yieldsToDeadline: true, limitsStarts: false },
  completed: { failsPod: false, hidesRestarts: false, yieldsToDeadline: false, limitsStarts: false },
  deadlineExceeded: { failsPod: true, hidesRestarts: false, yieldsToDeadline: false, limitsStarts: false },
  evicted: { failsPod: false, hidesRestarts: false, yieldsToDeadline: false, limitsStarts: false },
  ended: { failsPod: false, hidesRestarts: true, yieldsToDeadline: false, limitsStarts: true },
};
