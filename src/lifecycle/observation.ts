import type { TerminalPhase } from '../api/objects.ts';
import type { Instant } from '../api/time.ts';
import type { TerminationCause } from './facts.ts';
import type { StorageUsage } from './volumes/local-storage.ts';

/** Something that happened to a Pod. `id` tells which instance of the container it happened to. */
export type Observation =
  /** `podIP`: the address of the Pod; undefined: the node's. */
  | { readonly type: 'sandboxReady'; readonly podIP?: string | undefined }
  | { readonly type: 'sandboxStopped' }
  | { readonly type: 'started'; readonly container: string; readonly id: string; readonly at: Instant }
  | StartFailed
  | Exited
  /** No process of the instance is left. */
  | { readonly type: 'swept'; readonly container: string; readonly id: string }
  | HookReturned
  | ProbeTurned
  | { readonly type: 'storageMeasured'; readonly usage: StorageUsage }
  | TerminateRequest;

/** Take the Pod down, or hurry up with it. */
export interface TerminateRequest {
  readonly type: 'terminate';
  readonly cause: TerminationCause;
  readonly graceSeconds: number;
  /** Kill everything now. */
  readonly force: boolean;
  /** Break off a postStart hook that runs, as force does. */
  readonly breaksOffHook?: boolean;
  /** How the Pod has ended, as somebody else has it: it stays so. */
  readonly phase?: TerminalPhase | undefined;
}

export interface StartFailed {
  readonly type: 'startFailed';
  readonly container: string;
  readonly id: string;
  /**
   * config: the container could not be described (a ConfigMap is missing). create: it could not be made as described.
   * start: its program could not be run.
   */
  readonly stage: 'config' | 'create' | 'start';
  readonly message: string;
  readonly at: Instant;
}

export interface Exited {
  readonly type: 'exited';
  readonly container: string;
  readonly id: string;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** The termination message, undefined when there is none. */
  readonly message: string | undefined;
  readonly at: Instant;
}

export interface HookReturned {
  readonly type: 'hookReturned';
  readonly hook: 'postStart' | 'preStop';
  readonly container: string;
  readonly id: string;
  /** Undefined: it succeeded. */
  readonly error: string | undefined;
}

export interface ProbeTurned {
  readonly type: 'probeTurned';
  readonly probe: 'startup' | 'liveness' | 'readiness';
  readonly container: string;
  readonly id: string;
  readonly success: boolean;
}
